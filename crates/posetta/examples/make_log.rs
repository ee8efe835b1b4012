//! Writes a log with vector clocks to standard output, to measure readers with.
//!
//! ```console
//! $ cargo run --release -p posetta --example make_log -- 100 8 > /tmp/100mb.log     # MB, hosts
//! $ cargo run --release -p posetta --example read_speed -- /tmp/100mb.log
//! ```

use std::io::{BufWriter, Write};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<usize>().expect("a number"));
    let bytes = arguments.next().unwrap_or(100) * 1_000_000;
    let hosts = arguments.next().unwrap_or(8);
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut clocks = vec![vec![0u32; hosts]; hosts];
    let mut state = 4711u64;
    let mut written = 0;
    let mut line = String::new();
    while written < bytes {
        // xorshift: the same log every time.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let host = (state >> 8) as usize % hosts;
        let received =
            ((state >> 32).is_multiple_of(4)).then_some((state >> 40) as usize % hosts).filter(|&s| s != host);
        if let Some(sender) = received {
            let known = clocks[sender].clone();
            clocks[host].iter_mut().zip(known).for_each(|(entry, known)| *entry = known.max(*entry));
        }
        clocks[host][host] += 1;
        line.clear();
        line.push_str(&format!("node{host} {{"));
        let known = clocks[host].iter().enumerate().filter(|(_, count)| **count > 0);
        let entries: Vec<String> = known.map(|(i, count)| format!("\"node{i}\":{count}")).collect();
        line.push_str(&entries.join(", "));
        line.push_str("}\n");
        match received {
            Some(sender) => line.push_str(&format!("received a message from node{sender}\n")),
            None => line.push_str("wrote an entry to its own log\n"),
        }
        written += line.len();
        out.write_all(line.as_bytes())?;
    }
    out.flush()
}
