// The arbiter of arbiter.vhd, with the same questions as assertions of SystemVerilog.
module arbiter (
    input logic clk, rst, r0, r1, r2,
    output logic [2:0] gnt,
    output logic [1:0] last
);
  property served (r, g);
    @(posedge clk) r |-> s_eventually g;
  endproperty

  default clocking @(posedge clk); endclocking

  one_at_a_time: assert property ($onehot0(gnt));
  legal: assert property (gnt == 3'b000 || $onehot(gnt));
  never_three: assert property (gnt != 3'b111);
  low_pair: assert property (gnt[1:0] != 2'b11) else $error("two grants");
  only_if_asked_0: assert property (!r0 |=> !gnt[0]);
  only_if_asked_1: assert property (!r1 && !rst |=> !gnt[1]);
  only_if_asked_2: assert property (!r2 |-> ##1 !gnt[2]);
  keeps_0: assert property (gnt[0] && r0 && !rst |=> gnt[0]);
  keeps_1: assert property (gnt[1] && r1 && !rst |-> nexttime gnt[1]);
  lets_go: assert property (gnt[2] && !r2 |=> !gnt[2]);
  served_0: assert property (served(r0, gnt[0]));
  served_mid: assert property (served(r1, gnt[1]));
  soon_1: assert property (!r1 ##1 r1 |-> ##[1:8] gnt[1]);
  soon_2: assert property (!r2 ##1 r2 |-> ##[1:8] gnt[2]);
  quiet: assert property ((!r0 && !r1 && !r2 && !rst)[*2] |-> gnt == '0);
  turn: assert property (gnt[0] ##1 gnt[1] |-> last == 2'd1);
  ask_until_granted: assume property (r0 |-> r0 until (gnt[0] || rst));
  all_asked: cover property (r0 && r1 && r2);
  all_served: cover property (gnt[0][->1] ##1 gnt[1][->1] ##1 gnt[2][->1]);
  fast_grant: cover property (r0 ##1 r0[*0:3] ##1 gnt[0]);
  swapped: cover property (gnt[2] ##1 gnt[0]);
endmodule
