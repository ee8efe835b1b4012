-- A bus after the manner of AMBA's APB: setup, access, and a slave that may make the master wait. One transfer changes its address
-- while it waits, and one drops `penable` too early.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity apb is
end entity;

architecture sim of apb is
  signal clk : std_logic := '0';
  signal presetn, psel, penable, pwrite, pready, pslverr : std_logic := '0';
  signal paddr : std_logic_vector(7 downto 0) := x"10";
  signal waits : integer range 0 to 15 := 0;
  signal ended : boolean := false;

  -- One character for each cycle.
  constant presetns : string := "00111111111111111111111111111111111111";
  constant psels : string := "00001100111110011111100011100011100000";
  constant penables : string := "00000100011110001011100001000001100000";
  constant pwrites : string := "00001100000000011111100000000011100000";
  constant preadys : string := "00000100000010001000100000000000100000";
  constant pslverrs : string := "00000000000010000000000000000000000000";
begin
  clk <= not clk after 5 ns when not ended else '0';

  stimulus : process
    function bit_of(c : character) return std_logic is
    begin
      if c = '1' then return '1'; else return '0'; end if;
    end function;
  begin
    for i in presetns'range loop
      presetn <= bit_of(presetns(i));
      psel <= bit_of(psels(i));
      penable <= bit_of(penables(i));
      pwrite <= bit_of(pwrites(i));
      pready <= bit_of(preadys(i));
      pslverr <= bit_of(pslverrs(i));
      wait until falling_edge(clk);
    end loop;
    ended <= true;
    wait;
  end process;

  address : process (clk)
  begin
    if falling_edge(clk) then
      if psel = '0' then
        paddr <= std_logic_vector(unsigned(paddr) + 4);
      elsif waits = 2 and pwrite = '1' then
        paddr <= x"FF";
      end if;
    end if;
  end process;

  counter : process (clk)
  begin
    if rising_edge(clk) then
      if psel = '1' and penable = '1' and pready = '0' then
        waits <= waits + 1;
      else
        waits <= 0;
      end if;
    end if;
  end process;

  -- psl default clock is rising_edge(clk);

  -- psl sequence setup is {psel and not penable};
  -- psl sequence acc is {psel and penable};

  -- psl enable_needs_sel: assert always (penable = '1' -> psel = '1');
  -- psl setup_then_access: assert always {setup} |=> {acc} report "setup is one cycle";
  -- psl access_after_setup: assert always {not psel; psel} |-> not penable;
  -- psl waits_for_ready: assert always {psel and penable and not pready} |=> (psel and penable);
  -- psl access_ends: assert always {psel and penable and pready} |=> not penable;
  -- psl ready_comes: assert always {psel and penable} |-> eventually! pready;
  -- psl ready_in_four: assert always {psel and not penable; psel and penable} |-> next_e[0 to 3] (pready);
  -- psl at_most_four_waits: assert never {{psel and penable and not pready}[*4]};
  -- psl waits_bounded: assert always waits < 4;
  -- psl error_only_at_end: assert always (pslverr -> (psel and penable and pready));
  -- psl error_is_over: assert always {pslverr = '1'} |=> pslverr = '0';
  -- psl idle_in_reset: assert always not presetn -> not psel;
  -- psl reset_then_idle: assert {not presetn[*]; presetn[*2]; psel};
  -- psl address_aligned: assert always (psel = '1' -> paddr(1 downto 0) = "00");
  -- psl address_high: assert always (paddr(7) = '0' or penable = '1');
  -- psl write_stable: assert always {psel and pwrite and not (penable and pready)} |=> pwrite;
  -- psl no_write_error: assert never {pwrite and pslverr};
  -- psl three_cycles: assert always {psel and not penable; psel and penable and not pready; psel and penable and pready} |=> not psel;
  -- psl sel_until_ready: assert always ((psel and not penable) -> (psel until! pready));
  -- psl master_lets_go: assume always {psel[*5]} |=> not psel;
  -- psl read_done: cover {setup; acc[*]; psel and penable and pready and not pwrite};
  -- psl write_done: cover {psel and pwrite and penable and pready};
  -- psl waited: cover {{psel and penable and not pready}[*2]; pready};
  -- psl failed: cover {pslverr} report "an error was seen";
  -- psl back_to_back: cover {pready and psel; psel and not penable};
end architecture;
