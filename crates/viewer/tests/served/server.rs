//! The server, asked over a socket as a browser or a stranger would.

use std::thread;

use crate::client::{Client, SMALL};

#[test]
fn the_page_and_its_answers_carry_the_policy() {
    let client = Client::of_text(SMALL);
    let page = client.get("");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-type: text/html"));
    for answer in [page, client.get("api/trace"), client.get("app.js")] {
        assert!(
            answer
                .head
                .contains("content-security-policy: default-src 'none'")
        );
        assert!(answer.head.contains("x-content-type-options: nosniff"));
        assert!(answer.head.contains("cache-control: no-store"));
    }
}

#[test]
fn strangers_are_not_let_in() {
    let client = Client::of_text(SMALL);
    let port = client.address.port();
    let ours = format!("127.0.0.1:{port}");
    // A wrong token, and none.
    for path in [
        "/",
        "/api/trace",
        "/00000000000000000000000000000000/",
        "/../etc/passwd",
    ] {
        assert_eq!(client.ask("GET", path, &ours, "").status, 404, "{path}");
    }
    let path = format!("{}api/trace", client.path);
    assert_eq!(client.ask("GET", &path, &ours, "").status, 200);
    let localhost = format!("localhost:{port}");
    assert_eq!(client.ask("GET", &path, &localhost, "").status, 200);
    // Names that somebody else's page could have point here.
    for host in [
        "evil.example",
        "127.0.0.1",
        "",
        &format!("evil.example:{port}"),
    ] {
        assert_eq!(client.ask("GET", &path, host, "").status, 404, "{host}");
    }
    // Pages that are not ours.
    for origin in [
        "http://evil.example",
        "null",
        "https://127.0.0.1",
        "http://127.0.0.1:1",
    ] {
        let header = format!("Origin: {origin}\r\n");
        assert_eq!(
            client.ask("GET", &path, &ours, &header).status,
            404,
            "{origin}"
        );
    }
    let header = format!("Origin: http://{ours}\r\n");
    assert_eq!(client.ask("GET", &path, &ours, &header).status, 200);
    assert_eq!(client.ask("POST", &path, &ours, "").status, 405);
}

#[test]
fn nonsense_is_refused_in_words() {
    let client = Client::of_text(SMALL);
    client.wait();
    for (target, status) in [
        ("api/runs?tracks=worker:0&from=0&to=0&width=100", 400),
        ("api/runs?tracks=worker:0&from=9&to=3&width=100", 400),
        ("api/runs?tracks=worker:0&from=0&to=100&width=0", 400),
        (
            "api/runs?tracks=worker:0&from=0&to=18446744073709551615&width=4294967295",
            400,
        ),
        ("api/runs?tracks=worker:0&from=-1&to=5&width=10", 400),
        ("api/runs?tracks=worker:0", 400),
        ("api/runs?tracks=worker:9&from=0&to=100&width=10", 404),
        ("api/runs?tracks=%00%ff&from=0&to=100&width=10", 404),
        ("api/runs?tracks=group:99&from=0&to=100&width=10", 404),
        ("api/interval?track=task:1", 400),
        ("api/interval?track=task:1&index=4294967295", 404),
        ("api/interval?track=task:77&at=3", 404),
        ("api/labels?tasks=x", 400),
        ("api/marks?tracks=task:1&from=5&to=5&width=1", 400),
        ("api/curves?names=running&from=5&to=5&width=1", 400),
        ("api/tracks?by=colour", 400),
        ("api/tracks?parent=task:1", 404),
        ("api/scatter?columns=0", 400),
        ("api/search?q=", 400),
        ("api/tracks?parent=users:7", 404),
        ("api/report/nothing", 404),
        ("api/report/diff", 400),
        ("api/report/why?id=task:77", 404),
        ("api/report/tasks?where=colour", 400),
        ("api/report/tasks?colour=red", 400),
        ("api/nothing", 404),
    ] {
        let answer = client.get(target);
        assert_eq!(answer.status, status, "{target}: {}", answer.text());
    }
    let many = vec!["task:1"; 600].join(",");
    let target = format!("api/runs?tracks={many}&from=0&to=100&width=10");
    assert_eq!(client.get(&target).status, 400);
}

#[test]
fn a_thousand_requests_at_once_are_answered_or_refused() {
    let client = Client::of_text(SMALL);
    // Before it is read there is no such track.
    client.wait();
    let client = &client;
    let targets = [
        "api/runs?tracks=worker:0&from=0&to=100&width=10",
        "api/runs?tracks=worker:0&from=0&to=100&width=10&where=duration%3E1ns",
        "api/tracks?by=group&where=task%3E0",
        "api/tree?id=task:1",
    ];
    let statuses: Vec<u16> = thread::scope(|scope| {
        let asking: Vec<_> = (0..1_000)
            .map(|number| scope.spawn(move || client.get(targets[number % 4]).status))
            .collect();
        asking
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(
        statuses.iter().all(|status| [200, 503].contains(status)),
        "{statuses:?}"
    );
    assert!(statuses.contains(&200));
    // And it goes on.
    for target in targets {
        assert_eq!(client.get(target).status, 200, "{target}");
    }
}

#[test]
fn a_report_is_what_the_command_prints() {
    let client = Client::of_text(SMALL);
    let tasks = client.get("api/report/tasks").json();
    assert_eq!(
        (&tasks["schema"], &tasks["groups"][0]["function"]),
        (&"exectrace.tasks".into(), &"main.work".into())
    );
    // The same once more, which is kept.
    assert_eq!(client.get("api/report/tasks").json(), tasks);
    let later = client.get("api/report/tasks?from=29").json();
    assert_ne!(later["groups"], tasks["groups"]);
}

#[test]
fn rows_and_intervals_are_those_of_the_trace() {
    let client = Client::of_text(SMALL);
    client.wait();
    let status = client.get("api/trace").json();
    assert_eq!(status["state"], "ready");
    assert_eq!(
        (&status["format"], &status["header"]),
        (&"v1".into(), &"1.19".into())
    );
    assert_eq!(
        (&status["verdict"], &status["end_ns"]),
        (&"whole".into(), &44.into())
    );
    let workers = client.get("api/tracks?by=worker").json();
    assert_eq!(workers["tracks"][0]["id"], "worker:0");
    let groups = client.get("api/tracks?by=group").json();
    assert_eq!(groups["tracks"][0]["name"], "main.work");
    let parent = groups["tracks"][0]["id"].as_str().unwrap().to_owned();
    let tasks = client.get(&format!("api/tracks?parent={parent}")).json();
    assert_eq!(tasks["tracks"][0]["id"], "task:1");
    let interval = client.get("api/interval?track=task:1&at=12").json();
    assert_eq!(
        (&interval["state"], &interval["worker"]),
        (&"running".into(), &"worker:0".into())
    );
    assert_eq!(
        (&interval["from_ns"], &interval["to_ns"]),
        (&9.into(), &29.into())
    );
    let waiting = client.get("api/interval?track=task:1&at=30").json();
    assert_eq!(
        (&waiting["state"], &waiting["reason"]),
        (&"waiting".into(), &"chan receive".into())
    );
    let on_worker = client.get("api/interval?track=worker:0&index=0").json();
    assert_eq!(
        (&on_worker["task"], &on_worker["name"]),
        (&"task:1".into(), &"main.work".into())
    );
}

#[test]
fn what_takes_no_time_is_there_also_at_the_end() {
    let client = Client::of_text(
        "\
    go 1.19 trace
    Batch worker=0 ticks=1000
    Frequency ticks_per_second=1000000000
    ProcStart dt=1 thread=7
    GoCreate dt=4 task=1
    GoStart dt=5 task=1 seq=1
    GoSched dt=5
    GoStart dt=0 task=1 seq=3
    GoEnd dt=0",
    );
    client.wait();
    // In the queue, running, in the queue and running for no time.
    let last = client.get("api/interval?track=task:1&index=3").json();
    assert_eq!(
        (&last["count"], &last["state"]),
        (&4.into(), &"running".into())
    );
    assert_eq!((&last["from_ns"], &last["to_ns"]), (&14.into(), &14.into()));
}

#[test]
fn what_was_done_for_users_has_rows_and_points() {
    let client = Client::of_text(
        "\
    go 1.19 trace
    Batch worker=0 ticks=1000
    Frequency ticks_per_second=1000000000
    ProcStart dt=1 thread=7
    GoCreate dt=4 task=1
    GoStart dt=5 task=1 seq=1
    UserTaskCreate dt=5 user_task=5 parent=0 name=2
    UserTaskCreate dt=5 user_task=6 parent=0 name=2
    UserTaskEnd dt=30 user_task=5
    UserTaskCreate dt=5 user_task=7 parent=0 name=2
    UserTaskEnd dt=7 user_task=7
    GoEnd dt=5
    String string=2 text=\"request\"",
    );
    client.wait();
    let scatter = client.get("api/scatter").json();
    assert_eq!(scatter["name"], "request");
    assert_eq!(scatter["names"][0]["count"], 2);
    let point = &scatter["points"][0];
    assert_eq!(
        (&point["id"], &point["task"]),
        (&"user:5".into(), &"task:1".into())
    );
    assert_eq!((&point["begin_ns"], &point["ns"]), (&14.into(), &35.into()));
    assert_eq!(scatter["worst"][1]["id"], "user:7");
    let rows = client.get("api/tracks?by=user_task").json();
    assert_eq!(
        (&rows["tracks"][0]["id"], &rows["tracks"][0]["members"]),
        (&"users:0".into(), &3.into())
    );
    let rows = client.get("api/tracks?parent=users:0&from=55&to=60").json();
    let ids: Vec<_> = rows["tracks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["id"])
        .collect();
    // One has ended, one is open, and one has just ended.
    assert_eq!(ids, ["user:6", "user:7"]);
    let hits = client.get("api/search?q=REQ").json();
    assert_eq!(hits["hits"][0]["id"], "users:0");
    let hits = client.get("api/search?q=7").json();
    let ids: Vec<_> = hits["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| &hit["id"])
        .collect();
    assert_eq!(ids, ["thread:7", "user:7"]);
}

#[test]
fn a_trace_without_events_says_so() {
    let client = Client::of_text("go 1.19 trace");
    client.wait();
    let status = client.get("api/trace").json();
    assert_eq!(
        (&status["state"], &status["verdict"]),
        (&"ready".into(), &"partial".into())
    );
    let told = status["trust"].to_string();
    assert!(told.contains("there are no events"), "{told}");
}
