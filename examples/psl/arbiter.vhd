-- Three masters and one bus. The arbiter takes turns, but when a reset comes while a grant is given, two grants overlap.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity arbiter is
end entity;

architecture sim of arbiter is
  signal clk : std_logic := '0';
  signal rst : std_logic := '0';
  signal r0, r1, r2 : std_logic := '0';
  signal gnt : std_logic_vector(2 downto 0) := "000";
  signal last : unsigned(1 downto 0) := "00";
  signal ended : boolean := false;

  -- One character for each cycle.
  constant rsts : string := "11000000000000000000000000010000000000";
  constant r0s : string := "00011111000000001111111100000000011000";
  constant r1s : string := "00000011111100001111111111000000011000";
  constant r2s : string := "00000000000011001111111111111100000000";
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
      r0 <= bit_of(r0s(i));
      r1 <= bit_of(r1s(i));
      r2 <= bit_of(r2s(i));
      wait until falling_edge(clk);
    end loop;
    ended <= true;
    wait;
  end process;

  choose : process (clk)
  begin
    if rising_edge(clk) then
      gnt <= "000";
      if rst = '1' then
        gnt <= gnt(1 downto 0) & gnt(2);
        if gnt /= "000" then
          gnt <= "011";
        end if;
      elsif gnt(0) = '1' and r0 = '1' then
        gnt <= "001";
      elsif gnt(1) = '1' and r1 = '1' then
        gnt <= "010";
      elsif r0 = '1' and last /= 0 then
        gnt <= "001";
        last <= "00";
      elsif r1 = '1' then
        gnt <= "010";
        last <= "01";
      elsif r2 = '1' then
        gnt <= "100";
        last <= "10";
      elsif r0 = '1' then
        gnt <= "001";
        last <= "00";
      end if;
    end if;
  end process;

  -- psl default clock is rising_edge(clk);

  -- psl property served_1 is always (r1 -> eventually! gnt(1));

  -- psl one_at_a_time: assert always not (gnt(0) and gnt(1)) and not (gnt(1) and gnt(2)) and not (gnt(0) and gnt(2));
  -- psl legal: assert always gnt = "000" or gnt = "001" or gnt = "010" or gnt = "100";
  -- psl never_three: assert never {gnt = "111"};
  -- psl low_pair: assert never {gnt(1 downto 0) = "11"} report "two grants";
  -- psl only_if_asked_0: assert always {not r0} |=> not gnt(0);
  -- psl only_if_asked_1: assert always {not r1 and not rst} |=> not gnt(1);
  -- psl only_if_asked_2: assert always {r2 = '0'} |=> gnt(2) = '0';
  -- psl keeps_0: assert always {gnt(0) and r0 and not rst} |=> gnt(0);
  -- psl keeps_1: assert always ((gnt(1) = '1' and r1 = '1' and rst = '0') -> next gnt(1) = '1');
  -- psl lets_go: assert always {gnt(2) and not r2} |=> {not gnt(2)};
  -- psl served_0: assert always (r0 -> eventually! gnt(0));
  -- psl served_mid: assert served_1;
  -- psl soon_1: assert always {not r1; r1} |-> {[*1 to 8]; gnt(1)};
  -- psl soon_2: assert always {not r2; r2} |-> {[*1 to 8]; gnt(2)};
  -- psl quiet: assert always {(not r0 and not r1 and not r2 and not rst)[*2]} |-> gnt = "000";
  -- psl first_is_0: assert gnt(0) before gnt(2);
  -- psl first_is_1: assert gnt(1) before gnt(0);
  -- psl turn: assert always {gnt(0); gnt(1)} |-> last = 1;
  -- psl ask_until_granted: assume always (r0 = '1' -> (r0 = '1' until (gnt(0) = '1' or rst = '1')));
  -- psl all_asked: cover {r0 and r1 and r2};
  -- psl all_served: cover {gnt(0)[->1]; gnt(1)[->1]; gnt(2)[->1]};
  -- psl fast_grant: cover {r0; r0[*0 to 3]; gnt(0)};
  -- psl swapped: cover {gnt(2); gnt(0)};
end architecture;
