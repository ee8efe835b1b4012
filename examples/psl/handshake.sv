// The handshake of handshake.vhd, with the same questions as assertions of SystemVerilog.
module handshake (
    input logic clk, rst, req,
    input logic [7:0] data,
    output logic ack, done, busy
);
  assign busy = req | ack;
  always_ff @(posedge clk) done <= req & ack;

  default clocking cb @(posedge clk); endclocking

  sequence transfer;
    (req && !ack) ##1 (req && !ack)[*0:$] ##1 (req && ack);
  endsequence

  property answered;
    @(posedge clk) req && !ack |-> ##[1:3] ack;
  endproperty

  // What the receiver promises.
  quiet_in_reset: assert property (rst |-> !ack);
  no_ack_alone: assert property (!req && !ack |=> !ack);
  answer_in_time: assert property (answered) else $error("no answer within three cycles");
  answer_comes: assert property (req |-> s_eventually ack);
  ack_until_req_falls: assert property (req && ack |-> (ack until !req));
  not_both_forever: assert property (not (req && ack)[*4]);
  ack_falls: assert property (@(posedge clk) (ack && !req) |=> !ack);
  done_follows: assert property (req && ack |=> done);
  done_only_then: assert property (done |-> ack || !req);
  busy_means: assert property (busy == (req || ack));
  no_glitch: assert property (!req ##1 req |=> req);

  // What the sender promises.
  req_held: assume property (req && !ack |=> req);
  data_stable: assume property (req && !ack ##1 req |-> data != '0);
  gap: assume property ($fell(req) |=> !req [*2]);

  // What the test should have shown.
  saw_transfer: cover property (transfer);
  saw_fast: cover property (!req ##1 req ##1 (req && ack));
  saw_slow: cover property (!req ##1 (req && !ack)[*3] ##1 ack);
  saw_never: cover property (ack && rst);
  saw_data: cover property (data == 8'h3C && ack);

  // Asked of the first cycle only.
  initial starts_idle: assume property (!req && !ack);
endmodule
