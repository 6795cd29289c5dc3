//! What the server tells, and to whom.

#![cfg(feature = "serve")]

use delassus_record::{Column, Extent, Field, Header, Kind, Options, Recorder};
use delassus_view::Cast;
use delassus_view::serve::{Live, Show, start};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

fn run(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("delassus-server-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("folder");
    let path = folder.join(name);
    let mut header = Header::new("one number", 2);
    header.fields = vec![Field::new("energy/kinetic", Kind::F64, 1, Extent::Scalar)];
    let mut recorder =
        Recorder::create(&path, &header, &Options { overwrite: true, ..Options::default() }).expect("new");
    let mut frame = header.frame();
    for step in 0..3u64 {
        (frame.step, frame.time) = (step, 0.1 * step as f64);
        frame.columns = vec![Column::F64(vec![step as f64 / 3.0])];
        recorder.write(&frame).expect("written");
    }
    recorder.finish().expect("finished");
    path
}

fn show(path: PathBuf, live: Option<Arc<dyn Live>>) -> Show {
    Show { runs: vec![path], told: Box::new(|_| Ok(Cast::default())), live, files: vec![], port: 0 }
}

/// Status, head and body of an answer to a request written by hand.
fn ask(address: &str, request: &str) -> (u16, String, Vec<u8>) {
    let host = address.strip_prefix("http://").and_then(|a| a.split('/').next()).expect("an address");
    let mut stream = TcpStream::connect(host).expect("connected");
    stream.write_all(request.replace("HOST", host).as_bytes()).expect("asked");
    let mut all = vec![];
    stream.read_to_end(&mut all).expect("answered");
    let cut = all.windows(4).position(|w| w == b"\r\n\r\n").expect("a head");
    let head = String::from_utf8_lossy(&all[..cut]).into_owned();
    let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).expect("a status");
    (status, head, all[cut + 4..].to_vec())
}

fn get(address: &str, what: &str) -> (u16, String, Vec<u8>) {
    let token = address.trim_end_matches('/').rsplit('/').next().expect("a token");
    ask(address, &format!("GET /{token}/{what} HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"))
}

/// Loopback, a token, its own name, and neither folders nor other files.
#[test]
fn only_the_run_is_shown_and_only_to_whom_has_the_token() {
    let path = run("shown.h5");
    let server = start(show(path.clone(), None)).expect("started");
    let address = &server.address;
    assert!(address.starts_with("http://127.0.0.1:"));
    let (status, head, page) = get(address, "");
    assert_eq!(status, 200);
    assert!(head.contains("default-src 'none'") && head.contains("frame-ancestors 'none'"), "{head}");
    assert!(!head.contains("unsafe-inline") && !head.contains("'unsafe-eval'"), "{head}");
    assert!(String::from_utf8_lossy(&page).contains("view.js"));
    let token = address.trim_end_matches('/').rsplit('/').next().expect("a token");
    assert!(token.len() == 32 && token.chars().all(|c| c.is_ascii_hexdigit()));
    let other = start(show(path, None)).expect("started");
    assert!(!other.address.contains(token), "another server has another token");
    for bad in ["/", "/runs", "/00000000000000000000000000000000/runs", "/../shown.h5"] {
        let (status, ..) = ask(address, &format!("GET {bad} HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"));
        assert_eq!(status, 404, "{bad}");
    }
    for bad in ["shown.h5", "run/1/meta", "run/0/%2e%2e%2fshown.h5", "../shown.h5", "run/0/../../shown.h5", "live"] {
        assert_eq!(get(address, bad).0, 404, "{bad}");
    }
    // A name of somebody else that leads here.
    let (status, ..) =
        ask(address, &format!("GET /{token}/runs HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"));
    assert_eq!(status, 403);
    // A page of another site, or of a file, that asks or orders.
    for origin in ["http://evil.example", "https://127.0.0.1", "null", "http://127.0.0.1:1"] {
        for (method, what) in [("GET", "runs"), ("POST", "live")] {
            let head = format!("{method} /{token}/{what} HTTP/1.1\r\nHost: HOST\r\nOrigin: {origin}\r\n");
            let (status, ..) = ask(address, &format!("{head}Content-Length: 0\r\nConnection: close\r\n\r\n"));
            assert_eq!(status, 403, "{method} from {origin}");
        }
    }
    let head = format!("GET /{token}/runs HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nConnection: close\r\n\r\n");
    assert_eq!(ask(address, &head).0, 200, "its own page");
    // Nobody but this machine: the same port of another of its addresses is closed.
    let port: u16 =
        address.split(':').nth(2).and_then(|r| r.split('/').next()).and_then(|p| p.parse().ok()).expect("a port");
    assert!(TcpStream::connect(("127.0.0.2", port)).is_err(), "only 127.0.0.1");
}

/// A browser opens several connections at once and keeps them: each is answered, on its own and while all are open.
#[test]
fn connections_that_stay_open_are_all_answered() {
    let server = start(show(run("many.h5"), None)).expect("started");
    let rest = server.address.strip_prefix("http://").expect("an address");
    let (host, token) = rest.split_once('/').expect("a token");
    let mut streams: Vec<TcpStream> = (0..24).map(|_| TcpStream::connect(host).expect("connected")).collect();
    let ask = format!("GET /{token}runs HTTP/1.1\r\nHost: {host}\r\n\r\n");
    for round in 0..2 {
        streams.iter_mut().for_each(|s| s.write_all(ask.as_bytes()).expect("asked"));
        for (k, stream) in streams.iter_mut().enumerate() {
            stream.set_read_timeout(Some(std::time::Duration::from_secs(20))).expect("set");
            let mut first = [0; 15];
            stream.read_exact(&mut first).unwrap_or_else(|e| panic!("round {round}, connection {k}: {e}"));
            assert_eq!(&first, b"HTTP/1.1 200 OK");
            let mut rest = vec![0; 1 << 16];
            let n = stream.read(&mut rest).expect("the rest");
            let mut all = rest[..n].to_vec();
            while !all.ends_with(b"}") {
                let n = stream.read(&mut rest).expect("the rest");
                all.extend(&rest[..n]);
            }
        }
    }
    // Two requests in one piece, and one in two pieces.
    let (a, b) = ask.split_at(ask.len() / 2);
    for pieces in [vec![ask.clone() + &ask], vec![a.to_owned(), b.to_owned() + &ask]] {
        let mut stream = TcpStream::connect(host).expect("connected");
        for piece in &pieces {
            stream.write_all(piece.as_bytes()).expect("asked");
            std::thread::sleep(std::time::Duration::from_millis(30));
        }
        stream.shutdown(std::net::Shutdown::Write).expect("no more");
        let mut all = String::new();
        stream.read_to_string(&mut all).expect("answered");
        assert_eq!(all.matches("HTTP/1.1 200 OK").count(), 2, "{all}");
    }
}

/// Whoever opens connections and says nothing, or a letter at a time, keeps nobody out, and is not waited for.
#[test]
fn strangers_keep_nobody_out() {
    use std::time::{Duration, Instant};
    let server = start(show(run("strangers.h5"), None)).expect("started");
    let rest = server.address.strip_prefix("http://").expect("an address");
    let (host, token) = rest.split_once('/').expect("a token");
    let ask = format!("GET /{token}runs HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let answered = |stream: &mut TcpStream| {
        stream.write_all(ask.as_bytes()).expect("asked");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
        let (mut all, mut piece) = (vec![], [0; 4096]);
        while !all.ends_with(b"}") {
            let n = stream.read(&mut piece).expect("answered");
            assert!(n > 0, "closed after {} bytes", all.len());
            all.extend(&piece[..n]);
        }
        assert!(all.starts_with(b"HTTP/1.1 200 OK"));
    };
    let mut friend = TcpStream::connect(host).expect("connected");
    answered(&mut friend);
    // More than are let in at once; each says that it is about to say something.
    let mut strangers: Vec<TcpStream> = (0..200).map(|_| TcpStream::connect(host).expect("connected")).collect();
    for stranger in &mut strangers {
        let _ = stranger.write_all(b"G");
    }
    let begin = Instant::now();
    assert_eq!(get(&server.address, "runs").0, 200, "a new one");
    answered(&mut friend);
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    // A letter a second: the last of them is still here, and is not for long.
    let mut last = strangers.pop().expect("some");
    last.set_read_timeout(Some(Duration::from_secs(1))).expect("set");
    let begin = Instant::now();
    let closed =
        |e: &std::io::Error| !matches!(e.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut);
    loop {
        let gone = last.write_all(b"x").is_err();
        match last.read(&mut [0]) {
            Ok(_) => break,
            Err(e) if gone || closed(&e) => break,
            Err(_) => assert!(begin.elapsed() < Duration::from_secs(20), "it is still waited for"),
        }
    }
}

/// What is no request, or too large a one, is refused, and the server goes on.
#[test]
fn what_is_no_request_is_refused() {
    let server = start(show(run("rubbish.h5"), None)).expect("started");
    let long = format!("GET / HTTP/1.1\r\nHost: HOST\r\nX: {}\r\n\r\n", "x".repeat(1 << 16));
    for (bad, code) in [
        ("\0\u{1}\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: HOST\r\nContent-Length: many\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 99999999\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
    ] {
        assert_eq!(ask(&server.address, bad).0, code, "{bad:?}");
    }
    // What lies unread when it closes may cut the connection, and the refusal with it.
    let host = server.address.strip_prefix("http://").and_then(|a| a.split('/').next()).expect("an address");
    let mut stream = TcpStream::connect(host).expect("connected");
    let _ = stream.write_all(long.as_bytes());
    let mut all = vec![];
    let _ = stream.read_to_end(&mut all);
    assert!(all.is_empty() || all.starts_with(b"HTTP/1.1 431"), "{}", String::from_utf8_lossy(&all));
    assert_eq!(get(&server.address, "runs").0, 200);
}

/// Numbers are those of the file; questions without an answer are refused in words.
#[test]
fn questions_are_answered_or_refused_in_words() {
    let path = run("asked.h5");
    let server = start(show(path.clone(), None)).expect("started");
    let (status, _, pack) = get(&server.address, "run/0/series?name=energy%2Fkinetic");
    assert_eq!(status, 200);
    assert_eq!(pack[pack.len() - 8..], (2.0f64 / 3.0).to_le_bytes());
    for (bad, word) in [
        ("run/0/frame?at=3&fields=energy/kinetic", "frame 3"),
        ("run/0/frame?at=x&fields=energy/kinetic", "expected a number"),
        ("run/0/frame?fields=energy/kinetic", "expected a number"),
        ("run/0/frame?at=0&fields=energy/kinetic,energy/kinetic", "every field once"),
        ("run/0/values?at=0&group=../..&item=0", "a group of fields"),
        ("run/0/pair?a=4294967296&b=0", "the number of a body"),
        ("run/0/resultant?body=4294967296", "the number of a body"),
        ("run/0/series?name=nothing", "nothing"),
    ] {
        let (status, _, body) = get(&server.address, bad);
        let told: Value = serde_json::from_slice(&body).expect("JSON");
        let told = told["error"].as_str().unwrap_or_default().to_owned();
        assert!(status == 422 && told.contains(word), "{bad}: {status} {told}");
    }
    std::fs::write(&path, "no run any more").expect("written over");
    let (status, _, body) = get(&server.address, "run/0/meta");
    assert!(status == 422 && String::from_utf8_lossy(&body).contains("asked.h5"));
    std::fs::remove_file(&path).expect("removed");
    let (_, _, body) = get(&server.address, "run/0/meta");
    assert!(String::from_utf8_lossy(&body).contains("not there any more"));
}

struct Heard(Mutex<Vec<Value>>);

impl Live for Heard {
    fn status(&self) -> Value {
        json!({ "heard": self.0.lock().expect("unlocked").len() })
    }

    fn order(&self, order: &Value) -> Result<(), String> {
        if order["pause"].is_boolean() {
            self.0.lock().expect("unlocked").push(order.clone());
            return Ok(());
        }
        Err("not that".into())
    }
}

#[test]
fn orders_reach_the_run() {
    let heard = Arc::new(Heard(Mutex::default()));
    let server = start(show(run("live.h5"), Some(heard.clone()))).expect("started");
    let token = server.address.trim_end_matches('/').rsplit('/').next().expect("a token").to_owned();
    let post = |text: &str| {
        let length = text.len();
        let head =
            format!("POST /{token}/live HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nContent-Length: {length}");
        ask(&server.address, &format!("{head}\r\n\r\n{text}")).0
    };
    assert_eq!(post("{\"pause\": true}"), 200);
    assert_eq!(post("{\"jump\": true}"), 422);
    assert_eq!(post("no JSON"), 422);
    assert_eq!(*heard.0.lock().expect("unlocked"), [json!({ "pause": true })]);
}
