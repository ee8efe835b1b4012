// The queue of fifo.vhd, with the same directives in the Verilog flavour of PSL.
module fifo (
    input clk, rst, wr, rd,
    output full, empty,
    output reg overflow,
    output reg [2:0] count,
    output reg [1:0] wptr, rptr
);
  assign full = count >= 4;
  assign empty = count == 0;

  // psl default clock = (posedge clk);
  // psl sequence filling = {{wr && !rd}[*2:4]};
  // psl property bounded = always (count <= 3'd4);

  // psl reset_empties: assert always ({rst} |=> {empty});
  // psl reset_pointers: assert always (rst -> next (wptr == 2'b00 && rptr == 2'b00));
  // psl not_full_and_empty: assert always !(full && empty);
  // psl never_too_many: assert bounded report "more than four";
  // psl full_is_four: assert always (full -> count >= 4);
  // psl empty_is_none: assert always ((count == 3'b000) <-> empty);
  // psl no_overflow: assert never overflow report "written when full" severity warning;
  // psl no_write_when_full: assert always ({full && wr && !rd} |-> false);
  // psl write_counts: assert always {count == 0 && wr && !rd && !rst} |=> count == 1;
  // psl two_writes: assert always ({empty && wr && !rd && !rst; wr && !rd && !rst} |=> {count == 2});
  // psl read_of_one: assert always {count == 1 && rd && !wr} |=> empty;
  // psl drains: assert always (full -> eventually! empty);
  // psl full_until_read: assert always ((full && !rst) -> (full until_ (rd || rst)));
  // psl stays_empty: assert always (empty -> (empty until wr));
  // psl empty_before_full: assert !full until wr;
  // psl pointer_moves: assert always {rptr == 2'd0 && rd && !empty && !rst} |=> rptr == 2'd1;
  // psl pointer_rests: assert always {wptr == 2'b10 && !wr && !rst} |=> wptr == 2'b10;
  // psl not_read_empty: assume never {empty && rd};
  // psl filled: cover {filling; full};
  // psl emptied: cover {full; !full[*]; empty};
  // psl both_at_once: cover {wr && rd};
  // psl third_write: cover {wr[->3]; full} report "full after three";
endmodule
