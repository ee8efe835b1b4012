// The bus of apb.vhd, with the same questions as assertions of SystemVerilog, in a module that is bound to the design.
module apb_checks (
    input logic clk, presetn, psel, penable, pwrite, pready, pslverr,
    input logic [7:0] paddr,
    input integer waits
);
  clocking cb @(posedge clk);
  endclocking
  default clocking cb;

  sequence setup;
    psel && !penable;
  endsequence

  sequence acc;
    psel && penable;
  endsequence

  property stays(a, b);
    a |=> b;
  endproperty

  enable_needs_sel: assert property (penable |-> psel);
  setup_then_access: assert property (setup |=> acc) else $error("setup is one cycle");
  access_after_setup: assert property (!psel ##1 psel |-> !penable);
  waits_for_ready: assert property (stays(psel && penable && !pready, psel && penable));
  access_ends: assert property (stays(psel && penable && pready, !penable));
  ready_comes: assert property (psel && penable |-> s_eventually pready);
  ready_in_four: assert property (setup ##1 acc |-> ##[0:3] pready);
  at_most_four_waits: assert property (not (psel && penable && !pready)[*4]);
  waits_bounded: assert property (waits < 4);
  error_only_at_end: assert property (pslverr |-> psel && penable && pready);
  error_is_over: assert property (pslverr |=> !pslverr);
  idle_in_reset: assert property (!presetn |-> !psel);
  address_aligned: assert property (psel |-> paddr[1:0] == 2'b00);
  address_high: assert property (!paddr[7] || penable);
  write_stable: assert property (psel && pwrite && !(penable && pready) |=> pwrite);
  no_write_error: assert property (not (pwrite && pslverr));
  three_cycles: assert property (setup ##1 (acc and !pready) ##1 (acc and pready) |=> !psel);
  sel_until_ready: assert property (psel && !penable |-> psel s_until pready);
  master_lets_go: assume property (psel[*5] |=> !psel);
  read_done: cover property (setup ##1 acc[*0:$] ##1 (psel && penable && pready && !pwrite));
  write_done: cover property (psel && pwrite && penable && pready);
  waited: cover property ((psel && penable && !pready)[*2] ##1 pready);
  failed: cover property (pslverr);
  back_to_back: cover property (pready && psel ##1 psel && !penable);
endmodule

bind apb apb_checks checks (.*);
