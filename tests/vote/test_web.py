"""The arena over real sockets: what a program without JavaScript meets, and what it cannot learn or do."""

import http.cookiejar
import re
import urllib.error
import urllib.parse
import urllib.request

import pytest

from groundswell.records import Skip, Vote

from .conftest import LOOK


class Client:
    """A plain HTTP client with cookies."""

    def __init__(self, base):
        self.base = base
        self._open = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())).open

    def ask(self, path, form=None, **headers):
        data = None if form is None else urllib.parse.urlencode(form).encode()
        request = urllib.request.Request(self.base + path, data=data, headers=headers)
        try:
            answer = self._open(request)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return answer.status, answer.headers, answer.read()

    def ballot(self):
        status, _, body = self.ask("/")
        assert status == 200
        page = body.decode()
        sides = re.findall(r'data-side="(?:left|right)">\s*<img src="([^"]+)"', page)
        return re.search(r'name="ballot" value="([^"]+)"', page).group(1), sides, page

    def vote(self, ballot, choice="left", **headers):
        status, _, body = self.ask("/vote", {"ballot": ballot, "choice": choice}, **headers)
        return status, body.decode()


@pytest.fixture
def client(arena):
    return Client(arena.base)


def test_a_vote_counts_and_the_next_page_names_both_models(arena, client):
    ballot, _, page = client.ballot()
    assert not any(f">{name}<" in page for name in ("ada", "bob", "cyd"))
    arena.clock.now += LOOK + 0.1
    status, after = client.vote(ballot)
    (vote,) = [each for each in arena.box.records.values() if isinstance(each, Vote)]
    assert status == 200
    assert {vote.left, vote.right} == set(re.findall(r"<bdi>([^<]+)</bdi>", after))


def test_pictures_are_told_apart_by_nothing_but_their_pixels(client):
    _, sides, page = client.ballot()
    (_, left_headers, left), (_, right_headers, right) = (client.ask(address) for address in sides)
    assert len(left) == len(right)
    assert left != right
    unequal = {name for name in left_headers if left_headers[name] != right_headers[name]} - {"date"}
    assert unequal == set()
    assert "etag" not in left_headers
    assert "last-modified" not in left_headers
    assert not any(name in page + "".join(sides) for name in ("digest-", "-ada", "-bob", "-cyd"))


def test_addresses_of_pictures_belong_to_one_ballot(arena):
    one, other = Client(arena.base), Client(arena.base)
    assert not set(one.ballot()[1]) & set(other.ballot()[1])
    assert one.ask("/picture/made-up/left")[0] == 400


def test_an_early_vote_is_refused_and_shows_the_same_pair_again(client):
    ballot, _, page = client.ballot()
    status, after = client.vote(ballot)
    prompt = re.search(r"<h1[^>]*>([^<]+)<", page).group(1)
    assert status == 422
    assert prompt in after
    assert "A moment longer" in after


def test_the_second_answer_to_a_ballot_changes_nothing(arena, client):
    ballot, _, _ = client.ballot()
    arena.clock.now += LOOK + 0.1
    assert client.vote(ballot, "left")[0] == 200
    status, after = client.vote(ballot, "right")
    assert status == 409
    assert "left is better" in after
    assert len(arena.box.records) == 1


def test_nobody_votes_without_a_cookie_or_on_the_ballot_of_another(arena, client):
    ballot, _, _ = client.ballot()
    arena.clock.now += LOOK + 0.1
    assert Client(arena.base).vote(ballot)[0] == 403
    other = Client(arena.base)
    other.ballot()
    assert other.vote(ballot)[0] == 403
    assert client.vote("made-up")[0] == 400
    assert client.vote(ballot, "best")[0] == 422
    assert arena.box.records == {}


def test_a_form_of_another_site_is_refused(arena, client):
    ballot, _, _ = client.ballot()
    arena.clock.now += LOOK + 0.1
    assert client.vote(ballot, **{"Sec-Fetch-Site": "cross-site"})[0] == 403


def test_an_old_ballot_is_gone(arena, client):
    ballot, _, _ = client.ballot()
    arena.clock.now += 3600
    status, after = client.vote(ballot)
    assert (status, "expired" in after) == (410, True)


def test_a_skip_leads_to_another_pair_and_is_kept_as_none(arena, client):
    ballot, _, _ = client.ballot()
    status, after = client.vote(ballot, "skip")
    assert status == 200
    assert re.search(r'name="ballot" value="([^"]+)"', after)
    assert [type(each) for each in arena.box.records.values()] == [Skip]


def test_a_session_that_answers_like_a_machine_is_slowed_down(arena, client):
    ballot, _, _ = client.ballot()
    statuses = [client.vote(ballot)[0] for _ in range(245)]
    assert statuses[-1] == 429


def test_a_session_sees_every_pair_once_and_is_thanked(arena, client):
    pairs = set()
    while True:
        page = client.ask("/")[2].decode()
        if "every pair" in page:
            break
        ballot, _, _ = client.ballot()
        arena.clock.now += LOOK + 0.1
        after = client.vote(ballot, "tie")[1]
        pairs.add((re.search(r"<h1[^>]*>([^<]+)<", page).group(1), *sorted(re.findall(r"<bdi>([^<]+)", after))))
    assert len(pairs) == 12


def test_every_answer_carries_the_policy_and_names_no_other_host(client):
    for path in ("/", "/vote", "/nowhere", "/operator", "/static/arena.css"):
        _, headers, body = client.ask(path)
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert re.findall(rb'(?:src|href|action)="https?://', body) == []
    assert client.ask("/nowhere")[0] == 404


def test_the_page_speaks_the_voters_language(client):
    chinese = client.ask("/", **{"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5"})[2].decode()
    assert "哪张图更好" in chinese
    assert "提示" in chinese
    assert "Which picture" in client.ask("/?lang=en", **{"Accept-Language": "zh"})[2].decode()


def test_the_operator_needs_the_token_and_the_mark_of_the_page(arena, client):
    assert client.ask("/operator")[0] == 401
    assert client.ask("/operator/sign-in", {"token": "guess"})[0] == 403
    assert client.ask("/operator/rankings.jsonl")[0] == 403
    status, _, page = client.ask("/operator/sign-in", {"token": arena.token})
    assert status == 200
    mark = re.search(r'name="mark" value="([^"]+)"', page.decode()).group(1)
    assert client.ask("/operator/rule", {"subject": "s", "what": "exclude"})[0] == 403
    assert client.ask("/operator/rule", {"subject": "s", "what": "exclude", "mark": mark})[0] == 200
    assert client.ask("/operator/rule", {"subject": "s", "what": "delete", "mark": mark})[0] == 422
    assert arena.desk.ruled == [("s", "exclude")]


def test_an_expert_ranks_all_outputs_of_a_sample_blind_with_ties(arena, client):
    page = client.ask("/operator/sign-in", {"token": arena.token})[2].decode()
    mark = re.search(r'name="mark" value="([^"]+)"', page).group(1)
    invited = client.ask("/operator/invite", {"name": "Grace", "mark": mark})[2].decode()
    link = "/panel/" + re.search(r"/panel/([\w-]+)", invited).group(1)
    page = client.ask(link)[2].decode()
    assert not any(name in page for name in ("ada", "bob", "cyd"))
    form = dict(re.findall(r'name="(picture-\d)" value="([^"]+)"', page))
    assert len(form) == 3
    assert client.ask(link, {**form, "place-1": 1})[0] == 422
    form |= {"place-1": "1", "place-2": "2", "place-3": "2"}
    status, _, page = client.ask(link, form)
    assert (status, "1 / 4" in page.decode()) == (200, True)
    votes = [each for each in arena.box.records.values() if isinstance(each, Vote)]
    assert [each.by for each in votes] == ["expert:Grace"] * 3
    assert sorted(each.winner for each in votes) in (
        ["left", "left", "tie"],
        ["left", "right", "tie"],
        ["right", "right", "tie"],
    )
    assert client.ask("/panel/made-up")[0] == 404
