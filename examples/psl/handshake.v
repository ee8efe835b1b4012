// The handshake of handshake.vhd, with the same directives in the Verilog flavour of PSL.
module handshake (
    input clk, rst, req,
    input [7:0] data,
    output reg ack, done,
    output busy
);
  assign busy = req | ack;
  always @(posedge clk) done <= req & ack;

  // psl default clock = (posedge clk);

  // psl sequence transfer = {req && !ack; {req && !ack}[*]; req && ack};
  // psl property answered = always (req && !ack) -> next_e[1:3] (ack);

  // What the receiver promises.
  // psl quiet_in_reset: assert always (rst -> !ack);
  // psl no_ack_alone: assert never {!req && !ack; ack};
  // psl answer_in_time: assert answered report "no answer within three cycles" severity error;
  // psl answer_comes: assert always (req == 1'b1 -> eventually! ack == 1'b1);
  // psl ack_until_req_falls: assert always ({req && ack} |-> (ack until !req));
  // psl not_both_forever: assert never {{req && ack}[*4]};
  // psl ack_falls: assert always ({ack && !req} |=> {!ack});
  // psl done_follows: assert always {req && ack} |=> done;
  // psl done_only_then: assert always (done -> (ack || !req));
  // psl busy_means: assert always (busy == 1'b1) <-> (req || ack);
  // psl no_glitch: assert never {!req; req; !req};

  // What the sender promises.
  // psl req_held: assume always ({req && !ack; !req} |-> 1'b0);
  // psl data_stable: assume always {req && !ack; req} |-> (data != 8'h00);
  // psl starts_idle: assume !req && !ack;
  // psl req_waits_for_reset: assume (!req) until (!rst);
  // psl gap: assume always ({req; !req} |=> next_a[0:1] (!req));

  // What the test should have shown.
  // psl saw_transfer: cover {transfer};
  // psl saw_fast: cover {!req; req; req && ack} report "answered at once";
  // psl saw_slow: cover {!req; {req && !ack}[*3]; ack};
  // psl saw_never: cover {ack && rst};
  // psl saw_data: cover {data == 8'h3C && ack};
endmodule
