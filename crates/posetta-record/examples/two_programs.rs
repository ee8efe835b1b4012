//! Two programs, one run: each records its own file, stamps travel with the messages, and the files are joined.
//!
//! The program starts itself a second time as a client. The client sends deposits to the server over TCP, each line with
//! the stamp of its sending; the server answers with its own. In the end
//!
//! ```console
//! $ cargo run -p posetta-record --example two_programs -- out
//! $ posetta check out/run.jsonl --ltl 'G (confirmed <= balance)'
//! ```
//!
//! where `out/run.jsonl` is `cat out/server.jsonl out/client.jsonl`.

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;

use posetta_record::{Recorder, Stamp};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.as_slice() {
        [directory] => server(Path::new(directory)),
        [role, address, directory] if role == "client" => client(address, Path::new(directory)),
        _ => Err("usage: two_programs DIRECTORY".into()),
    }
}

/// A line of the protocol: a stamp and an amount.
fn parse(line: &str) -> Result<(Stamp, i64), Box<dyn Error>> {
    let (stamp, amount) = line.split_once(' ').ok_or("a line without a stamp")?;
    Ok((stamp.parse()?, amount.trim().parse()?))
}

fn server(directory: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(directory)?;
    // Times tell in which order the joined events were seen.
    let recorder = Recorder::builder().wall_clock().to_writer(File::create(directory.join("server.jsonl"))?);
    let bank = recorder.process("bank");
    let balance = recorder.shared("balance", 0i64);

    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    let mut child = Command::new(std::env::current_exe()?).args(["client", &address]).arg(directory).spawn()?;
    let (stream, _) = listener.accept()?;
    let mut answers = stream.try_clone()?;
    for line in BufReader::new(stream).lines() {
        let (stamp, amount) = parse(&line?)?;
        bank.receive(&stamp, "deposit").record();
        balance.update(&bank, |b| *b += amount);
        let answer = bank.send("confirm").stamp();
        answers.write_all(format!("{answer} {}\n", balance.peek()).as_bytes())?;
    }
    recorder.finish()?;
    if !child.wait()?.success() {
        return Err("the client failed".into());
    }
    let mut joined = fs::read(directory.join("server.jsonl"))?;
    joined.extend(fs::read(directory.join("client.jsonl"))?);
    fs::write(directory.join("run.jsonl"), joined)?;
    Ok(())
}

fn client(address: &str, directory: &Path) -> Result<(), Box<dyn Error>> {
    let recorder = Recorder::builder()
        .wall_clock()
        .initial("confirmed", 0)
        .to_writer(File::create(directory.join("client.jsonl"))?);
    let customer = recorder.process("customer");
    let mut stream = TcpStream::connect(address)?;
    let mut answers = BufReader::new(stream.try_clone()?).lines();
    for amount in [10, 20, 30] {
        let stamp = customer.send("deposit").attr("amount", amount).stamp();
        stream.write_all(format!("{stamp} {amount}\n").as_bytes())?;
        let answer = answers.next().ok_or("the server is gone")??;
        let (stamp, total) = parse(&answer)?;
        customer.receive(&stamp, "confirmed").set("confirmed", total).record();
    }
    recorder.finish()?;
    Ok(())
}
