"""The page in a real browser: nothing in its console, no request, no sideways scrolling, two sheets of paper."""

from __future__ import annotations

import base64
import json
import re
import shutil

import pytest

from tierplan import load, report
from tierplan.plan import judge, make_plan

selenium = pytest.importorskip("selenium")
pytestmark = pytest.mark.skipif(
    not (shutil.which("chromium") and shutil.which("chromedriver")), reason="no Chromium with its driver on PATH"
)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
)  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService  # noqa: PLC0415

    options = ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    options.binary_location = shutil.which("chromium")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(options=options, service=ChromeService(shutil.which("chromedriver")))
    yield driver
    driver.quit()


@pytest.fixture(scope="module", params=[("mixed", "en"), ("demo", "zh"), ("refused-slow", "zh")], ids="-".join)
def page(request, tmp_path_factory):
    stack, name = request.param
    plan = make_plan(load.read_stack(f"stacks/Pulumi.{stack}.yaml"), load.catalogue())
    path = tmp_path_factory.mktemp("report") / "page.html"
    path.write_text(report.html(report.statement(plan, judge(plan), report.language(name))))
    return path


@pytest.mark.parametrize(("width", "mobile"), [(1200, False), (390, True)], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_shown_whole(browser, page, width, mobile, scheme):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": mobile}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    theme = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": theme})
    browser.get_log("performance")
    browser.get(page.as_uri())
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.execute_script("return document.querySelectorAll('section').length") >= 10
    assert browser.execute_script("return [...document.querySelectorAll('svg')].every(s => s.clientHeight > 20)")
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(13, 17, 23)")
    assert browser.get_log("browser") == []
    assert requests(browser) == {page.as_uri()}


def requests(browser):
    """Every address that the page asked for."""
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
    return {url for url in sent if not url.startswith("data:")}


def test_it_prints_on_two_pages(browser, page):
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.get(page.as_uri())
    printed = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"])
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= 2
