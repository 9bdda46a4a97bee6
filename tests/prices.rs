//! `prices refresh` against recorded answers of AWS's price list, in two pages.

#![expect(clippy::unwrap_used, reason = "a test's panic is its report")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output};

use serde_json::{Value, json};

/// A product as the list tells it: only what is read of it, and something else.
fn product(usage: &str, region: &str, usd: &str) -> String {
    let dimension = |begin: &str, usd: &str| json!({"unit": "WriteRequestUnits", "beginRange": begin, "pricePerUnit": {"USD": usd}});
    json!({
        "product": {"productFamily": "Amazon DynamoDB PayPerRequest Throughput",
                    "attributes": {"usagetype": usage, "regionCode": region, "servicecode": "AmazonDynamoDB"}},
        "serviceCode": "AmazonDynamoDB",
        "terms": {"OnDemand": {"X.JRTCKXETXF": {"priceDimensions": {
            "X.free": dimension("0", "0.0000000000"), "X.rest": dimension("1", usd)}}}},
        "publicationDate": "2026-12-01T18:30:00Z",
    })
    .to_string()
}

/// Reads one request, and answers with a page; gives the request's body.
fn answer(stream: &mut TcpStream, page: &Value) -> Value {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    let body_at = |request: &[u8]| request.windows(4).position(|end| end == b"\r\n\r\n").map(|at| at + 4);
    loop {
        let read = stream.read(&mut buffer).unwrap();
        request.extend_from_slice(&buffer[..read]);
        let Some(body) = body_at(&request) else { continue };
        let head = String::from_utf8_lossy(&request[..body]).to_lowercase();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .map_or(0, |text| text.trim().parse().unwrap());
        if request.len() >= body + length {
            let text = page.to_string();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.1\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                text.len()
            );
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(text.as_bytes()).unwrap();
            return serde_json::from_slice(&request[body..]).unwrap();
        }
    }
}

fn singletable(folder: &std::path::Path, arguments: &[&str], endpoint: Option<&str>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_singletable"));
    command
        .args(arguments)
        .current_dir(folder)
        .env_remove("SINGLETABLE_PRICES")
        .env("AWS_EC2_METADATA_DISABLED", "true");
    command.env("AWS_ACCESS_KEY_ID", "recorded").env("AWS_SECRET_ACCESS_KEY", "recorded");
    if let Some(endpoint) = endpoint {
        command.env("AWS_ENDPOINT_URL_PRICING", endpoint);
    }
    command.output().unwrap()
}

#[test]
fn prices_are_read_anew_written_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let first = [
            product("SAE1-WriteRequestUnits", "sa-east-1", "0.0000009375"),
            product("SAE1-ReplWriteRequestUnits", "sa-east-1", "0.0000014063"),
            product("WriteRequestUnits", "us-east-1", "0.0000006250"),
        ];
        let second = [
            product("SAE1-ReadRequestUnits", "sa-east-1", "0.0000001875"),
            product("ReadRequestUnits", "us-east-1", "0.0000001250"),
        ];
        let pages = [
            json!({"FormatVersion": "aws_v1", "PriceList": first, "NextToken": "more"}),
            json!({"FormatVersion": "aws_v1", "PriceList": second}),
        ];
        pages.map(|page| answer(&mut listener.accept().unwrap().0, &page))
    });
    let ran = singletable(folder.path(), &["prices", "refresh", "-o", "prices.toml"], Some(&endpoint));
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let asked = server.join().unwrap();
    assert_eq!(asked[0]["ServiceCode"], "AmazonDynamoDB");
    assert_eq!(asked[1]["NextToken"], "more");

    let listed = singletable(folder.path(), &["prices", "list", "--prices", "prices.toml", "--format", "json"], None);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let prices = listed["prices"].as_array().unwrap();
    assert_eq!(prices.len(), 2);
    assert_eq!(prices[0]["region"], "sa-east-1");
    assert_eq!((&prices[0]["write_million"], &prices[0]["read_million"]), (&json!(0.9375), &json!(0.1875)));
    assert_eq!(prices[0]["as_of"], "2026-12-01");
}

#[test]
fn a_list_that_cannot_be_had_says_what_it_needs_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let nobody = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let ran =
        singletable(folder.path(), &["prices", "refresh", "-o", "prices.toml"], Some(&format!("http://{nobody}")));
    assert_eq!(ran.status.code(), Some(1));
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(told.contains("the price list cannot be read") && told.contains("pricing:GetProducts"), "{told}");
    assert!(!folder.path().join("prices.toml").exists());
}
