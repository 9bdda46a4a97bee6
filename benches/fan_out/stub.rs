//! An endpoint that answers at once: the table of `tables/blog.toml` with one author and as many posts as are asked
//! for, made up as they are read. Once the author has her new name, so have all posts.

use std::sync::Mutex;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// About what fits into 1 MB of index entries.
const PAGE: u64 = 3000;

/// Serves until it is killed. The first line that it prints is its port.
pub(crate) async fn serve(posts: u64) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    let table: &Table = Box::leak(Box::new(Table { posts, author: Mutex::new("Mara Vance".to_owned()) }));
    loop {
        let (connection, _) = listener.accept().await.unwrap();
        tokio::spawn(table.answer(connection));
    }
}

struct Table {
    posts: u64,
    author: Mutex<String>,
}

impl Table {
    /// Answers the requests of one connection, one after the other.
    async fn answer(&self, connection: TcpStream) {
        let mut connection = BufReader::new(connection);
        while let Some((target, body)) = request(&mut connection).await {
            let answer = self.operation(&target, &body).to_string();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: {}\r\n\r\n",
                answer.len()
            );
            if connection.write_all((head + &answer).as_bytes()).await.is_err() {
                return;
            }
        }
    }

    fn operation(&self, target: &str, body: &Value) -> Value {
        match target {
            "DescribeTable" => json!({ "Table": { "TableName": "blog", "TableStatus": "ACTIVE" } }),
            "Query" => self.page(body),
            "BatchGetItem" => {
                let keys = body["RequestItems"]["blog"]["Keys"].as_array().unwrap();
                let items: Vec<Value> = keys.iter().map(|key| self.item(key)).collect();
                let units = items.len();
                json!({ "Responses": { "blog": items }, "ConsumedCapacity": [{ "TableName": "blog", "CapacityUnits": units }] })
            }
            "UpdateItem" => {
                if body["Key"]["SK"]["S"] == "PROFILE" {
                    let values = body["ExpressionAttributeValues"].as_object().unwrap();
                    let is_old = |text: &&str| *text == *self.author.lock().unwrap();
                    let new = values.values().filter_map(|value| value["S"].as_str()).find(|text| !is_old(text));
                    let new = new.unwrap().to_owned();
                    *self.author.lock().unwrap() = new;
                }
                json!({ "ConsumedCapacity": {
                    "TableName": "blog",
                    "CapacityUnits": 2,
                    "Table": { "CapacityUnits": 1 },
                    "GlobalSecondaryIndexes": { "GSI1": { "CapacityUnits": 1 } },
                } })
            }
            other => panic!("the stub knows no {other}"),
        }
    }

    fn page(&self, body: &Value) -> Value {
        let from = match body["ExclusiveStartKey"]["PK"]["S"].as_str() {
            Some(key) => number(key) + 1,
            None => 0,
        };
        let to = (from + PAGE).min(self.posts);
        let carried = ["PK", "SK", "GSI1PK", "GSI1SK", "authorName", "title"];
        let items: Vec<Value> = (from..to)
            .map(|id| {
                let item = self.post(id);
                carried.iter().map(|name| ((*name).to_owned(), item[name].clone())).collect()
            })
            .collect();
        let last = (to < self.posts).then(|| {
            let last = self.post(to - 1);
            json!({ "PK": last["PK"], "SK": last["SK"], "GSI1PK": last["GSI1PK"], "GSI1SK": last["GSI1SK"] })
        });
        let mut page = json!({ "Items": items, "ConsumedCapacity": { "TableName": "blog", "CapacityUnits": 64 } });
        if let Some(last) = last {
            page["LastEvaluatedKey"] = last;
        }
        page
    }

    fn item(&self, key: &Value) -> Value {
        match key["SK"]["S"].as_str() {
            Some("PROFILE") => json!({
                "PK": key["PK"], "SK": key["SK"], "entity": { "S": "Author" }, "id": { "S": "12" },
                "name": { "S": *self.author.lock().unwrap() },
            }),
            _ => self.post(number(key["PK"]["S"].as_str().unwrap())),
        }
    }

    fn post(&self, id: u64) -> Value {
        let published = format!("2026-01-01T00:00:{:02}.{:03}Z", id / 1000 % 60, id % 1000);
        json!({
            "PK": { "S": format!("POST#{id:07}") }, "SK": { "S": "META" }, "entity": { "S": "Post" },
            "id": { "S": format!("{id:07}") }, "authorId": { "S": "12" },
            "authorName": { "S": *self.author.lock().unwrap() }, "title": { "S": "On keeping copies" },
            "publishedAt": { "S": published }, "GSI1PK": { "S": "USER#12" }, "GSI1SK": { "S": format!("POST#{published}") },
            "tags": { "L": [{ "S": "dynamodb" }, { "S": "copies" }] },
        })
    }
}

fn number(key: &str) -> u64 {
    key.trim_start_matches("POST#").parse().unwrap()
}

/// The next request's operation and body; `None` once the connection is closed.
async fn request(connection: &mut BufReader<TcpStream>) -> Option<(String, Value)> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(connection.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let header =
        |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned());
    let mut body = vec![0; header("content-length:").unwrap().parse().unwrap()];
    connection.read_exact(&mut body).await.ok()?;
    let target = header("x-amz-target:").unwrap();
    let operation = match target.rsplit('.').next().unwrap() {
        "describetable" => "DescribeTable",
        "query" => "Query",
        "batchgetitem" => "BatchGetItem",
        "updateitem" => "UpdateItem",
        other => other,
    };
    Some((operation.to_owned(), serde_json::from_slice(&body).unwrap()))
}
