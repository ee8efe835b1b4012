-- Traffic lights at a crossing with a button for pedestrians. After the second request the yellow phase is left out.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity light is
end entity;

architecture sim of light is
  signal clk : std_logic := '0';
  signal rst, button : std_logic := '0';
  signal red, yellow, green, walk : std_logic := '0';
  signal state : std_logic_vector(1 downto 0) := "00";
  signal timer : integer range 0 to 31 := 0;
  signal requests : integer range 0 to 7 := 0;
  signal ended : boolean := false;

  -- One character for each cycle.
  constant rsts : string := "1100000000000000000000000000000000000000000000";
  constant buttons : string := "0000001000000000000000001000000000000000001100";
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
      button <= bit_of(buttons(i));
      wait until falling_edge(clk);
    end loop;
    ended <= true;
    wait;
  end process;

  red <= '1' when state = "00" else '0';
  green <= '1' when state = "01" else '0';
  yellow <= '1' when state = "10" else '0';
  walk <= '1' when state = "00" and timer > 1 and timer < 5 else '0';

  control : process (clk)
  begin
    if rising_edge(clk) then
      if rst = '1' then
        state <= "00";
        timer <= 0;
      else
        timer <= timer + 1;
        if button = '1' then
          requests <= requests + 1;
        end if;
        if state = "00" and timer = 6 then
          state <= "01";
          timer <= 0;
        elsif state = "01" and (timer = 10 or (timer > 3 and requests > 0)) then
          if requests = 2 then
            state <= "00";
          else
            state <= "10";
          end if;
          timer <= 0;
        elsif state = "10" and timer = 2 then
          state <= "00";
          timer <= 0;
        end if;
      end if;
    end if;
  end process;

  -- psl default clock is rising_edge(clk);

  -- psl endpoint turned_red is {not red; red};
  -- psl sequence yellow_phase is {yellow[*3]};

  -- psl exactly_one: assert always (red xor green xor yellow);
  -- psl not_red_and_green: assert never (red and green);
  -- psl state_known: assert always state /= "11";
  -- psl starts_red: assert {red};
  -- psl red_in_reset: assert always {rst} |=> red;
  -- psl walk_needs_red: assert always (walk -> red);
  -- psl walk_three: assert always {not walk; walk} |-> walk[*3];
  -- psl walk_then_wait: assert always {walk; not walk} |-> {not walk[*2]; [*]};
  -- psl green_then_yellow: assert always {green; not green} |-> yellow report "no yellow";
  -- psl green_not_red: assert never {green; red};
  -- psl yellow_is_three: assert always {not yellow; yellow} |-> {yellow_phase; red};
  -- psl yellow_then_red: assert always (yellow -> next_event(not yellow) (red));
  -- psl red_after_green: assert always (green -> (green until! not green));
  -- psl red_seven: assert always {not red and not rst; red} |-> next_a[0 to 6] (red or rst);
  -- psl red_ends: assert always {red[*8] : not rst[*8]} |-> false;
  -- psl served: assert always (button -> eventually! walk);
  -- psl served_soon: assert always {button} |=> {walk[->1]};
  -- psl second_button: assert always {button[->2]} |-> next_event(walk)[1] (red);
  -- psl timer_bounded: assert always timer <= 10;
  -- psl timer_restarts: assert always {red; green} |-> timer = 0;
  -- psl green_min: assert always {not green; green} |-> next[3] (green);
  -- psl yellow_last: assert always (turned_red -> (red until green));
  -- psl no_hurry: assume never {button; button};
  -- psl full_round: cover {red[+]; green[+]; yellow[+]; red};
  -- psl skipped: cover {green; red};
  -- psl long_green: cover {green[*11]};
  -- psl pressed_twice: cover {button[=2]; walk};
end architecture;
