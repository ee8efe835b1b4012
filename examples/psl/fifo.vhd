-- A queue with four places. It forgets to look at `full` when something is written and read at once, and a test that writes too much
-- shows it.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity fifo is
end entity;

architecture sim of fifo is
  signal clk : std_logic := '0';
  signal rst, wr, rd : std_logic := '0';
  signal full, empty : std_logic;
  signal count : unsigned(2 downto 0) := "000";
  signal wptr, rptr : unsigned(1 downto 0) := "00";
  signal overflow : std_logic := '0';
  signal ended : boolean := false;

  -- One character for each cycle.
  constant rsts : string := "1100000000000000000000000000000000000010";
  constant wrs : string := "0001110001111110000000010101010101000000";
  constant rds : string := "0000001110000000111100000011000000110001";
begin
  clk <= not clk after 5 ns when not ended else '0';

  stimulus : process
    function bit_of(c : character) return std_logic is
    begin
      if c = '1' then return '1'; else return '0'; end if;
    end function;
  begin
    for i in rsts'range loop
      rst <= bit_of(rsts(i));
      wr <= bit_of(wrs(i));
      rd <= bit_of(rds(i));
      wait until falling_edge(clk);
    end loop;
    ended <= true;
    wait;
  end process;

  full <= '1' when count >= 4 else '0';
  empty <= '1' when count = 0 else '0';

  queue : process (clk)
  begin
    if rising_edge(clk) then
      overflow <= '0';
      if rst = '1' then
        count <= "000";
        wptr <= "00";
        rptr <= "00";
      else
        if wr = '1' then
          wptr <= wptr + 1;
          overflow <= full and not rd;
        end if;
        if rd = '1' and empty = '0' then
          rptr <= rptr + 1;
        end if;
        if wr = '1' and not (rd = '1' and empty = '0') then
          count <= count + 1;
        elsif wr = '0' and rd = '1' and empty = '0' then
          count <= count - 1;
        end if;
      end if;
    end if;
  end process;

  -- psl default clock is rising_edge(clk);

  -- psl sequence filling is {(wr and not rd)[*2 to 4]};
  -- psl property bounded is always count <= 4;

  -- psl reset_empties: assert always {rst} |=> {empty};
  -- psl reset_pointers: assert always (rst = '1') -> next (wptr = "00" and rptr = "00");
  -- psl not_full_and_empty: assert always not (full and empty);
  -- psl never_too_many: assert bounded report "more than four";
  -- psl full_is_four: assert always (full = '1' -> count >= 4);
  -- psl empty_is_none: assert always (count = 0) = (empty = '1');
  -- psl no_overflow: assert never overflow report "written when full" severity warning;
  -- The same from its cause: it names the cycle before.
  -- psl no_write_when_full: assert always {full and wr and not rd} |-> false;
  -- psl write_counts: assert always {count = 0 and wr = '1' and rd = '0' and rst = '0'} |=> count = 1;
  -- psl two_writes: assert always {empty and wr and not rd and not rst; wr and not rd and not rst} |=> {count = 2};
  -- psl read_of_one: assert always {count = 1 and rd = '1' and wr = '0'} |=> empty;
  -- psl drains: assert always (full -> eventually! empty);
  -- psl full_until_read: assert always ((full and not rst) -> (full until_ (rd or rst)));
  -- psl stays_empty: assert always (empty -> (empty until wr));
  -- psl empty_before_full: assert not full until wr;
  -- psl pointer_moves: assert always {rptr = "00" and rd = '1' and empty = '0' and rst = '0'} |=> rptr = "01";
  -- psl pointer_rests: assert always {wptr = "10" and wr = '0' and rst = '0'} |=> wptr = "10";
  -- psl not_read_empty: assume never {empty and rd};
  -- psl filled: cover {filling; full};
  -- psl emptied: cover {full; not full[*]; empty};
  -- psl both_at_once: cover {wr and rd};
  -- psl third_write: cover {wr[->3]; full} report "full after three";
end architecture;
