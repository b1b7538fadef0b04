"""FastMCP's client with its own OAuth, in the era that TFP_ERA names: `legacy`, `auto`, or a revision to insist on."""

import threading
import webbrowser
from contextlib import asynccontextmanager

from fastmcp import Client
from fastmcp.client.auth import OAuth

from play import envelope_of, play, text_of


class Screen(webbrowser.BaseBrowser):
    """The machine's browser, with the person before it. Opening a page does not wait for what the person does there."""

    def __init__(self, person):
        super().__init__("screen")
        self.person = person

    def open(self, url, new=0, autoraise=True):
        threading.Thread(target=self.person.approve_and_go_back, args=[url], daemon=True).start()
        return True


class Auth(OAuth):
    """FastMCP's OAuth: it looks at the page first, opens the browser, and listens on a port of its own."""

    def __init__(self, person):
        super().__init__(scopes="read contribute", client_name=f"FastMCP of {person.handle}", callback_timeout=30)
        self.person = person

    async def redirect_handler(self, authorization_url):
        webbrowser.register("screen", None, Screen(self.person), preferred=True)
        await super().redirect_handler(authorization_url)


class Agent:
    def __init__(self, client, auth):
        self.client, self.auth, self.version = client, auth, client.protocol_version

    async def tools(self):
        return [tool.name for tool in await self.client.list_tools()]

    async def templates(self):
        return [template.uri_template for template in await self.client.list_resource_templates()]

    async def call(self, tool, arguments):
        return envelope_of(tool, await self.client.call_tool(tool, arguments, raise_on_error=False))

    async def read(self, uri):
        return text_of(uri, await self.client.read_resource(uri))


@asynccontextmanager
async def connect(url, person, era):
    auth = Auth(person)
    async with Client(url, auth=auth, mode=era) as client:
        yield Agent(client, auth)


play(connect)
