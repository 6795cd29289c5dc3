//! As much of HTTP/1.1 as one browser on this machine needs: a thread for each connection, short requests, whole answers.
//!
//! A server with a pool of threads for connections that stay open let some of them wait for ever: a browser opens six at
//! once, and whoever the pool had no thread for at that moment was never read.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Connections at once; a browser opens six for each page.
const CONNECTIONS: usize = 64;
/// Bytes of the head of a request, and its lines.
const HEAD: usize = 1 << 15;
const LINES: usize = 64;
/// How long a connection may be silent: browsers open another.
const SILENCE: Duration = Duration::from_secs(60);

/// What is asked.
pub(crate) struct Request {
    pub method: String,
    /// Path and query, as they were sent.
    pub target: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// The value of a header, whatever the case of its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }
}

/// What is answered.
pub(crate) struct Response {
    pub code: u16,
    pub headers: Vec<(&'static str, &'static str)>,
    pub bytes: Vec<u8>,
}

/// Answers for ever; a body of more than `most` bytes is refused.
pub(crate) fn serve(
    listener: &TcpListener,
    most: usize,
    answer: impl Fn(&Request) -> Response + Send + Sync + 'static,
) {
    let (answer, open) = (Arc::new(answer), Arc::new(AtomicUsize::new(0)));
    loop {
        let Ok((stream, _)) = listener.accept() else {
            // Out of files: some are closed in a moment.
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        if open.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS {
            open.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let (answer, mine) = (answer.clone(), open.clone());
        let begun = std::thread::Builder::new().spawn(move || {
            // Whoever asked may be gone.
            let _ = converse(stream, most, &*answer);
            mine.fetch_sub(1, Ordering::SeqCst);
        });
        if begun.is_err() {
            open.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// One connection to its end.
fn converse(mut stream: TcpStream, most: usize, answer: &dyn Fn(&Request) -> Response) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_write_timeout(Some(SILENCE))?;
    let mut read = vec![];
    loop {
        let (request, stays) = match next(&mut stream, &mut read, most)? {
            Next::Request(request, stays) => (request, stays),
            Next::Refused(code) => {
                return write(&mut stream, &Response { code, headers: vec![], bytes: vec![] }, false, true);
            }
            Next::End => return Ok(()),
        };
        write(&mut stream, &answer(&request), stays, request.method != "HEAD")?;
        if !stays {
            return Ok(());
        }
    }
}

enum Next {
    /// And whether another may follow.
    Request(Request, bool),
    Refused(u16),
    End,
}

/// The next request; what follows it stays in `read`.
fn next(stream: &mut TcpStream, read: &mut Vec<u8>, most: usize) -> std::io::Result<Next> {
    let (mut request, stays, length) = loop {
        match head(read) {
            Head::Whole(request, stays, length) => break (request, stays, length),
            Head::Part if read.len() > HEAD => return Ok(Next::Refused(431)),
            Head::Part if !more(stream, read)? => return Ok(Next::End),
            Head::Part => {}
            Head::Refused(code) => return Ok(Next::Refused(code)),
        }
    };
    if length > most {
        return Ok(Next::Refused(413));
    }
    while read.len() < length {
        if !more(stream, read)? {
            return Ok(Next::End);
        }
    }
    request.body = read.drain(..length).collect();
    Ok(Next::Request(request, stays))
}

enum Head {
    Whole(Request, bool, usize),
    Part,
    Refused(u16),
}

/// The head at the front of what was read; it is taken away where it is whole.
fn head(read: &mut Vec<u8>) -> Head {
    let mut lines = [httparse::EMPTY_HEADER; LINES];
    let mut parsed = httparse::Request::new(&mut lines);
    let length = match parsed.parse(read) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Head::Part,
        Err(_) => return Head::Refused(400),
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        target: parsed.path.unwrap_or_default().to_owned(),
        headers: parsed.headers.iter().map(|h| (h.name.to_owned(), text(h.value))).collect(),
        body: vec![],
    };
    let stays =
        parsed.version == Some(1) && !request.header("Connection").is_some_and(|c| c.eq_ignore_ascii_case("close"));
    read.drain(..length);
    // No browser sends a body in pieces here.
    if request.header("Transfer-Encoding").is_some() {
        return Head::Refused(501);
    }
    match request.header("Content-Length").map_or(Ok(0), |n| n.trim().parse()) {
        Ok(length) => Head::Whole(request, stays, length),
        Err(_) => Head::Refused(400),
    }
}

/// Reads on; false at the end of the connection.
fn more(stream: &mut TcpStream, read: &mut Vec<u8>) -> std::io::Result<bool> {
    let mut piece = [0; 4096];
    loop {
        match stream.read(&mut piece) {
            Ok(0) => return Ok(false),
            Ok(n) => {
                read.extend(&piece[..n]);
                return Ok(true);
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

fn write(stream: &mut TcpStream, response: &Response, stays: bool, has_body: bool) -> std::io::Result<()> {
    let word = match response.code {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        422 => "Unprocessable Content",
        _ => "Refused",
    };
    let mut head = format!("HTTP/1.1 {} {word}\r\nContent-Length: {}\r\n", response.code, response.bytes.len());
    for (name, value) in &response.headers {
        head.extend([*name, ": ", *value, "\r\n"]);
    }
    head.push_str(if stays { "\r\n" } else { "Connection: close\r\n\r\n" });
    stream.write_all(head.as_bytes())?;
    if has_body {
        stream.write_all(&response.bytes)?;
    }
    stream.flush()
}
