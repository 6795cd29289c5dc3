//! As much of HTTP/1.1 as one browser on this machine needs: a thread for each connection, short requests, whole answers.
//!
//! A server with a pool of threads for connections that stay open let some of them wait for ever: a browser opens six at
//! once, and whoever the pool had no thread for at that moment was never read.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Connections at once; a browser opens six for each page.
const CONNECTIONS: usize = 64;
/// Bytes of the head of a request, and its lines.
const HEAD: usize = 1 << 15;
const LINES: usize = 64;
/// How long a connection may be silent that was answered: browsers open another.
const SILENCE: Duration = Duration::from_secs(60);
/// How long a request may take to come, from the first word to the last, and how long a stranger may be silent.
const HASTE: Duration = Duration::from_secs(10);

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

/// Who is connected, the first first.
#[derive(Default)]
struct Guests(Mutex<Vec<Guest>>);

struct Guest {
    number: u64,
    stream: TcpStream,
    /// Whether it was answered: it has the token.
    known: bool,
}

impl Guests {
    fn list(&self) -> MutexGuard<'_, Vec<Guest>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection in; where there is no room, the stranger who has been here longest goes.
    ///
    /// Whoever opens connections and says nothing keeps nobody out.
    fn enter(&self, number: u64, stream: &TcpStream) -> std::io::Result<()> {
        let mut list = self.list();
        if list.len() >= CONNECTIONS {
            let Some(stranger) = list.iter().position(|g| !g.known) else {
                return Err(ErrorKind::ResourceBusy.into());
            };
            // Its thread, which may be reading, meets the end.
            let _ = list.remove(stranger).stream.shutdown(Shutdown::Both);
        }
        list.push(Guest { number, stream: stream.try_clone()?, known: false });
        Ok(())
    }

    fn know(&self, number: u64) {
        self.list().iter_mut().filter(|g| g.number == number).for_each(|g| g.known = true);
    }

    fn leave(&self, number: u64) {
        self.list().retain(|g| g.number != number);
    }
}

/// Answers for ever; a body of more than `most` bytes is refused.
pub(crate) fn serve(
    listener: &TcpListener,
    most: usize,
    answer: impl Fn(&Request) -> Response + Send + Sync + 'static,
) {
    let (answer, guests) = (Arc::new(answer), Arc::new(Guests::default()));
    for number in 0.. {
        let Ok((stream, _)) = listener.accept() else {
            // Out of files: some are closed in a moment.
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        if guests.enter(number, &stream).is_err() {
            continue;
        }
        let (answer, all) = (answer.clone(), guests.clone());
        let begun = std::thread::Builder::new().spawn(move || {
            // Whoever asked may be gone.
            let _ = converse(stream, most, &*answer, &|| all.know(number));
            all.leave(number);
        });
        if begun.is_err() {
            guests.leave(number);
        }
    }
}

/// One connection to its end; `known` is called once it was answered.
fn converse(
    mut stream: TcpStream,
    most: usize,
    answer: &dyn Fn(&Request) -> Response,
    known: &dyn Fn(),
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(SILENCE))?;
    let (mut read, mut patience) = (vec![], HASTE);
    loop {
        let (request, stays) = match next(&mut stream, &mut read, most, patience)? {
            Next::Request(request, stays) => (request, stays),
            Next::Refused(code) => {
                return write(&mut stream, &Response { code, headers: vec![], bytes: vec![] }, false, true);
            }
            Next::End => return Ok(()),
        };
        let response = answer(&request);
        if response.code == 200 {
            patience = SILENCE;
            known();
        }
        write(&mut stream, &response, stays, request.method != "HEAD")?;
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

/// The next request, whose first word comes within `patience`; what follows it stays in `read`.
fn next(stream: &mut TcpStream, read: &mut Vec<u8>, most: usize, patience: Duration) -> std::io::Result<Next> {
    if read.is_empty() && !more(stream, read, Instant::now() + patience)? {
        return Ok(Next::End);
    }
    let until = Instant::now() + HASTE;
    let (mut request, stays, length) = loop {
        match head(read) {
            Head::Whole(request, stays, length) => break (request, stays, length),
            Head::Part if read.len() > HEAD => return Ok(Next::Refused(431)),
            Head::Part if !more(stream, read, until)? => return Ok(Next::End),
            Head::Part => {}
            Head::Refused(code) => return Ok(Next::Refused(code)),
        }
    };
    if length > most {
        return Ok(Next::Refused(413));
    }
    while read.len() < length {
        if !more(stream, read, until)? {
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
    // No browser sends a body in pieces here, or names two hosts.
    if request.header("Transfer-Encoding").is_some() {
        return Head::Refused(501);
    }
    if request.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("Host")).count() > 1 {
        return Head::Refused(400);
    }
    match request.header("Content-Length").map_or(Ok(0), |n| n.trim().parse()) {
        Ok(length) => Head::Whole(request, stays, length),
        Err(_) => Head::Refused(400),
    }
}

/// Reads on; false at the end of the connection, and of the time.
fn more(stream: &mut TcpStream, read: &mut Vec<u8>, until: Instant) -> std::io::Result<bool> {
    let mut piece = [0; 4096];
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(false);
        }
        stream.set_read_timeout(Some(left))?;
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
