-- A sender and a receiver with a four-phase handshake. The receiver answers after one to three cycles; in its third transfer the
-- sender lets go of `req` too early, and the last request is never answered.
library ieee;
use ieee.std_logic_1164.all;

entity handshake is
end entity;

architecture sim of handshake is
  signal clk : std_logic := '0';
  signal rst, req, ack, busy, done : std_logic := '0';
  signal data : std_logic_vector(7 downto 0) := x"00";
  signal ended : boolean := false;

  -- One character for each cycle.
  constant rsts : string := "1100000000000000000000000000000000";
  constant reqs : string := "0001110000111111000010000001100011";
  constant acks : string := "0000110000000111000001000000110000";
begin
  clk <= not clk after 5 ns when not ended else '0';
  busy <= req or ack;

  stimulus : process
    function bit_of(c : character) return std_logic is
    begin
      if c = '1' then return '1'; else return '0'; end if;
    end function;
  begin
    for i in reqs'range loop
      rst <= bit_of(rsts(i));
      req <= bit_of(reqs(i));
      ack <= bit_of(acks(i));
      if i = 3 then data <= x"A5"; elsif i = 10 then data <= x"3C"; elsif i = 21 then data <= x"FF"; end if;
      wait until falling_edge(clk);
    end loop;
    ended <= true;
    wait;
  end process;

  counter : process (clk)
  begin
    if rising_edge(clk) then
      done <= req and ack;
    end if;
  end process;

  -- psl default clock is rising_edge(clk);

  -- psl sequence transfer is {req = '1' and ack = '0'; (req = '1' and ack = '0')[*]; req = '1' and ack = '1'};
  -- psl property answered is always (req = '1' and ack = '0') -> next_e[1 to 3] (ack = '1');

  -- What the receiver promises.
  -- psl quiet_in_reset: assert always (rst = '1' -> ack = '0');
  -- psl no_ack_alone: assert never {req = '0' and ack = '0'; ack};
  -- psl answer_in_time: assert answered report "no answer within three cycles" severity error;
  -- psl answer_comes: assert always (req = '1' -> eventually! ack = '1');
  -- psl ack_until_req_falls: assert always {req and ack} |-> (ack until not req);
  -- psl not_both_forever: assert never {(req and ack)[*4]};
  -- psl ack_falls: assert always {ack and not req} |=> {ack = '0'};
  -- psl done_follows: assert always {req and ack} |=> done;
  -- psl done_only_then: assert always (done = '1' -> ack = '1' or req = '0');
  -- psl busy_means: assert always (busy = '1') = (req = '1' or ack = '1');
  -- psl no_glitch: assert never {req = '0'; req = '1'; req = '0'};

  -- What the sender promises.
  -- psl req_held: assume always {req and not ack; not req} |-> false;
  -- psl data_stable: assume always {req and not ack; req} |-> (data /= x"00");
  -- psl starts_idle: assume not req and not ack;
  -- psl req_waits_for_reset: assume (not req) until (not rst);
  -- psl gap: assume always {req = '1'; req = '0'} |=> next_a[0 to 1] (req = '0');

  -- What the test should have shown.
  -- psl saw_transfer: cover {transfer};
  -- psl saw_fast: cover {not req; req; req and ack} report "answered at once";
  -- psl saw_slow: cover {not req; (req and not ack)[*3]; ack};
  -- psl saw_never: cover {ack and rst};
  -- psl saw_data: cover {data = x"3C" and ack = '1'};
end architecture;
