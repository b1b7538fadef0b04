"""The official Python SDK's client, in the era that TFP_ERA names: `legacy`, `auto`, or a revision to insist on."""

from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

import anyio.to_thread
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

from play import envelope_of, play, text_of

REDIRECT = "http://127.0.0.1:9/callback"


class Memory:
    """What the SDK wants kept."""

    client = tokens = None

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens


class Provider(OAuthClientProvider):
    """The SDK's OAuth with a person who approves at once; the SDK compares state and issuer by itself."""

    def __init__(self, url, person):
        metadata = OAuthClientMetadata(
            client_name=f"Python SDK of {person.handle}",
            redirect_uris=[REDIRECT],
            token_endpoint_auth_method="none",
            scope="read contribute",
        )
        super().__init__(url, metadata, Memory(), self.show, self.hear)
        self.person = person
        self.back = None

    async def show(self, authorize):
        self.back = await anyio.to_thread.run_sync(self.person.approve, authorize)

    async def hear(self):
        assert self.back.startswith(f"{REDIRECT}?"), self.back
        return AuthorizationCodeResult(**{name: value for name, [value] in parse_qs(urlsplit(self.back).query).items()})


class Agent:
    def __init__(self, client, auth):
        self.client, self.auth, self.version = client, auth, client.protocol_version

    async def tools(self):
        return [tool.name for tool in (await self.client.list_tools(cache_mode="bypass")).tools]

    async def templates(self):
        return [template.uri_template for template in (await self.client.list_resource_templates()).resource_templates]

    async def call(self, tool, arguments):
        return envelope_of(tool, await self.client.call_tool(tool, arguments))

    async def read(self, uri):
        return text_of(uri, (await self.client.read_resource(uri)).contents)


@asynccontextmanager
async def connect(url, person, era):
    auth = Provider(url, person)
    async with (
        create_mcp_http_client(auth=auth) as http,
        Client(streamable_http_client(url, http_client=http), mode=era) as client,
    ):
        yield Agent(client, auth)


play(connect)
