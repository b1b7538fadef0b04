use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use tfp_actors::{Code, Error};

use super::search_problems::Order;
use super::{GetProblem, PickProblem, SearchProblems, get_problem, pick_problem, search_problems};
use crate::attempts::tools::{StartAttempt, start};
use crate::campaigns::Visibility;
use crate::problems::ProblemStatus;
use crate::testkit::World;
use crate::tool::Caller;

async fn search(
    world: &World,
    caller: &Arc<Caller>,
    change: impl FnOnce(&mut search_problems::Input),
) -> Result<search_problems::Output, Error> {
    let mut input = search_problems::Input::default();
    change(&mut input);
    world.read::<SearchProblems>(caller, input).await
}

fn slugs(output: &search_problems::Output) -> Vec<&str> {
    output.problems.iter().map(|problem| problem.slug.as_str()).collect()
}

async fn get(world: &World, caller: &Arc<Caller>, problem: &str) -> Result<get_problem::Output, Error> {
    world.read::<GetProblem>(caller, get_problem::Input { problem: problem.to_owned(), revision_id: None }).await
}

#[tokio::test]
async fn pages_by_priority_are_disjoint_complete_and_ordered() {
    let world = World::new();
    let ada = world.person("ada", false).await;
    let mut expected = Vec::new();
    for (number, weight) in [5, 1, 9, 5, 5, 1, 0].into_iter().enumerate() {
        let slug = format!("p{number}");
        world.problem(&slug, &ada, |problem| problem.priority_weight = weight).await;
        expected.push((-weight, slug));
    }
    expected.sort();
    let expected: Vec<String> = expected.into_iter().map(|(_, slug)| slug).collect();
    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let sent = cursor.take();
        let page = search(&world, &ada, |input| (input.limit, input.cursor) = (Some(2), sent)).await.unwrap();
        seen.extend(slugs(&page).into_iter().map(str::to_owned));
        match page.cursor.unwrap() {
            Some(next) => cursor = Some(next),
            None => break,
        }
        assert!(seen.len() <= expected.len(), "the pages do not end");
    }
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn a_cursor_of_another_order_filter_or_user_is_refused() {
    let world = World::new();
    let (ada, bob) = (world.person("ada", false).await, world.person("bob", false).await);
    for slug in ["a", "b"] {
        world.problem(slug, &ada, |_| {}).await;
    }
    let page = search(&world, &ada, |input| input.limit = Some(1)).await.unwrap();
    let cursor = page.cursor.unwrap().unwrap();
    let again = |change: fn(&mut search_problems::Input)| {
        let cursor = cursor.clone();
        move |input: &mut search_problems::Input| {
            input.cursor = Some(cursor);
            change(input);
        }
    };
    assert_eq!(slugs(&search(&world, &ada, again(|_| {})).await.unwrap()), ["b"]);
    let refused = [
        search(&world, &bob, again(|_| {})).await,
        search(&world, &ada, again(|input| input.standalone = Some(true))).await,
        search(&world, &ada, again(|input| input.order = Some(Order::Random))).await,
        search(&world, &ada, again(|input| input.order = Some(Order::LeastAttempted))).await,
        search(&world, &ada, |input| input.cursor = Some("eA".to_owned())).await,
    ];
    for answer in refused {
        assert_eq!(answer.unwrap_err().code(), Code::InvalidCursor);
    }
}

#[tokio::test]
async fn a_sample_has_no_cursor_and_changes() {
    let world = World::new();
    let ada = world.person("ada", false).await;
    for number in 0..6 {
        world.problem(&format!("p{number}"), &ada, |_| {}).await;
    }
    let mut orders = BTreeSet::new();
    for _ in 0..20 {
        let sample = search(&world, &ada, |input| (input.order, input.limit) = (Some(Order::Random), Some(3))).await;
        let sample = sample.unwrap();
        assert!(sample.cursor.is_none());
        let distinct: BTreeSet<&str> = slugs(&sample).into_iter().collect();
        assert_eq!(distinct.len(), 3);
        orders.insert(slugs(&sample).join(","));
    }
    assert!(orders.len() > 5, "{orders:?}");
}

#[tokio::test]
async fn all_words_must_occur_and_wildcards_are_plain_characters() {
    let world = World::new();
    let ada = world.person("ada", false).await;
    for slug in ["red-apple", "red_pear", "green-apple"] {
        world.problem(slug, &ada, |_| {}).await;
    }
    for (q, expected) in [
        ("RED apple", vec!["red-apple"]),
        ("d_p", vec!["red_pear"]),
        ("%", vec![]),
        ("  ", vec!["red-apple", "red_pear", "green-apple"]),
    ] {
        let found = search(&world, &ada, |input| input.q = Some(q.to_owned())).await.unwrap();
        assert_eq!(slugs(&found), expected, "{q}");
    }
    for bad in ["a\0", "w ".repeat(17).as_str()] {
        let refused = search(&world, &ada, |input| input.q = Some(bad.to_owned())).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidInput);
    }
}

#[tokio::test]
async fn what_is_private_or_a_draft_is_for_its_owner_and_administrators_and_reads_like_nothing_to_others() {
    let world = World::new();
    let (ada, bob, eve) =
        (world.person("ada", false).await, world.person("bob", false).await, world.person("eve", true).await);
    let hidden = world.campaign("hidden", &ada, Visibility::Private).await;
    world.problem("open", &ada, |_| {}).await;
    world.problem("draft", &ada, |problem| problem.status = ProblemStatus::Draft).await;
    world.problem("private", &ada, |problem| problem.visibility = Visibility::Private).await;
    world.problem("inside", &ada, |problem| problem.campaign_id = Some(hidden)).await;
    for (who, expected) in [
        (&ada, vec!["open", "draft", "private", "inside"]),
        (&bob, vec!["open"]),
        (&eve, vec!["open", "draft", "private", "inside"]),
    ] {
        assert_eq!(slugs(&search(&world, who, |_| {}).await.unwrap()), expected);
        for slug in ["open", "draft", "private", "inside"] {
            assert_eq!(get(&world, who, slug).await.is_ok(), expected.contains(&slug), "{slug}");
        }
    }
    let unknown = get(&world, &bob, "nothing").await.unwrap_err();
    for slug in ["draft", "private", "inside"] {
        assert_eq!(get(&world, &bob, slug).await.unwrap_err().to_string(), unknown.to_string());
    }
    let campaign = search(&world, &bob, |input| input.campaign = Some("hidden".to_owned())).await.unwrap_err();
    assert_eq!(campaign.code(), Code::NotFound);
}

#[tokio::test]
async fn attempts_in_progress_are_counted_and_the_least_attempted_comes_first_among_equals() {
    let world = World::new();
    let (ada, bob) = (world.person("ada", false).await, world.person("bob", false).await);
    world.problem("busy", &ada, |problem| problem.priority_weight = 1).await;
    world.problem("quiet", &ada, |problem| problem.priority_weight = 1).await;
    world.problem("light", &ada, |_| {}).await;
    world.run::<StartAttempt>(&ada, start("busy")).await.unwrap();
    world.run::<StartAttempt>(&bob, start("busy")).await.unwrap();
    let listed = search(&world, &ada, |input| input.order = Some(Order::LeastAttempted)).await.unwrap();
    assert_eq!(slugs(&listed), ["quiet", "busy", "light"]);
    let counts: HashMap<&str, u32> =
        listed.problems.iter().map(|problem| (problem.slug.as_str(), problem.active_attempts.unwrap())).collect();
    assert_eq!(counts, HashMap::from([("busy", 2), ("quiet", 0), ("light", 0)]));
    let shown = get(&world, &ada, "busy").await.unwrap();
    assert_eq!((shown.attempt_summary.active, shown.hint), (2, None));
    assert!(get(&world, &ada, "quiet").await.unwrap().hint.unwrap().contains("start_attempt"));
}

#[tokio::test]
async fn a_pick_is_open_and_says_why() {
    let world = World::new();
    let ada = world.person("ada", false).await;
    world
        .problem("closed", &ada, |problem| (problem.status, problem.priority_weight) = (ProblemStatus::Closed, 9))
        .await;
    world
        .problem("paused", &ada, |problem| (problem.status, problem.priority_weight) = (ProblemStatus::Paused, 9))
        .await;
    for number in 0..7 {
        world.problem(&format!("p{number}"), &ada, |_| {}).await;
    }
    let one = world.read::<PickProblem>(&ada, pick_problem::Input::default()).await.unwrap();
    assert_eq!(one.problems.len(), 1);
    let mut seen = BTreeSet::new();
    for mode in [pick_problem::Mode::Recommended, pick_problem::Mode::Surprise] {
        let input = pick_problem::Input { mode: Some(mode), limit: Some(5), ..pick_problem::Input::default() };
        let picked = world.read::<PickProblem>(&ada, input).await.unwrap();
        assert_eq!(picked.problems.len(), 5);
        assert!(
            picked.problems.iter().all(|pick| pick.problem.status == ProblemStatus::Open && !pick.reason.is_empty())
        );
        seen.extend(picked.problems.into_iter().map(|pick| pick.problem.slug));
    }
    assert!(seen.iter().all(|slug| slug.starts_with('p') && slug != "paused"));
    let none = pick_problem::Input { query: Some("nothing".to_owned()), ..pick_problem::Input::default() };
    let none = world.read::<PickProblem>(&ada, none).await.unwrap();
    assert!(none.problems.is_empty() && none.hint.is_some());
}
