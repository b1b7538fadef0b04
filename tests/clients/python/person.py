"""A person at a browser, as far as signing in and approving an app need one: cookies, forms and redirects."""

import time
from html.parser import HTMLParser
from urllib.parse import urlencode, urljoin, urlsplit

import httpx2

# How long an app may take to listen for its answer.
PATIENCE = 20


class Person:
    """Someone with an account, at a browser that nobody has signed in with yet."""

    def __init__(self, base, handle, password):
        self.base = base
        self.handle = handle
        self.password = password
        # How often an app sent the person to approve it.
        self.asked = 0
        self.http = httpx2.Client(follow_redirects=False, trust_env=False)

    def approve(self, authorize):
        """Opens the address that an app sends people to, signs in on the way, and approves. Answers where that leads."""
        assert self.is_at_home(authorize), f"the app leads to {authorize}"
        self.asked += 1
        page = self.follow(authorize, self.http.get(authorize))
        if self.asked == 1:
            assert urlsplit(page.url).path == "/sign-in", f"nobody has signed in yet: {page.url}"
            page = self.send(page, "password", name=self.handle, password=self.password)
        assert urlsplit(page.url).path == "/oauth/authorize", f"the person is asked: {page.url}"
        back = self.send(page, "decision=approve", decision="approve")
        assert isinstance(back, str), f"approving leads to {back.url}: {back.html}"
        return back

    def approve_and_go_back(self, authorize):
        """The same, and on to the app, which may start to listen only now."""
        back = self.approve(authorize)
        until = time.monotonic() + PATIENCE
        while True:
            try:
                assert self.http.get(back).status_code == 200, f"the app takes its answer: {back}"
                return
            except httpx2.ConnectError:
                assert time.monotonic() < until, f"nobody listens at {back}"
                time.sleep(0.05)

    def send(self, page, part, **filled):
        """Fills in and sends the page's form that has this part."""
        form = page.form(part)
        fields = [(name, value) for name, value in form.fields if name not in filled]
        url = urljoin(page.url, form.action)
        headers = {"origin": self.base, "content-type": "application/x-www-form-urlencoded"}
        return self.follow(url, self.http.post(url, content=urlencode([*fields, *filled.items()]), headers=headers))

    def follow(self, url, answer):
        """The page that an answer leads to in the end, or the address where it leads away from the server."""
        for _ in range(5):
            if not answer.is_redirect:
                assert answer.is_success, f"{url} answers {answer.status_code}: {answer.text}"
                return Page(url, answer.text)
            url = urljoin(url, answer.headers["location"])
            if not self.is_at_home(url):
                return url
            answer = self.http.get(url)
        raise AssertionError(f"{url} keeps redirecting")

    def is_at_home(self, url):
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc}" == self.base


class Page(HTMLParser):
    """A page and its forms."""

    def __init__(self, url, html):
        super().__init__()
        self.url, self.html, self.forms = url, html, []
        self.feed(html)

    def form(self, part):
        """The form that has an input of this name, or a button with this `name=value`."""
        found = [form for form in self.forms if part in form.parts]
        assert found, f"{self.url} has no form with {part}: {self.html}"
        return found[0]

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "form":
            self.forms.append(Form(attributes.get("action") or ""))
        elif tag in ("input", "button") and self.forms and "name" in attributes:
            self.forms[-1].add(tag, attributes)


class Form:
    """A form as its page shows it: the fields that a browser would send, untouched."""

    def __init__(self, action):
        self.action, self.fields, self.parts = action, [], []

    def add(self, tag, attributes):
        name, value, kind = attributes["name"], attributes.get("value") or "", attributes.get("type")
        if tag == "button" or kind == "submit":
            self.parts.append(f"{name}={value}")
            return
        self.parts.append(name)
        untouched = kind not in ("checkbox", "radio") or "checked" in attributes
        if untouched and "disabled" not in attributes:
            self.fields.append((name, value))
