//! What holds of every page that a person is shown, and its pictures.

use std::path::PathBuf;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::chromium::Browser;

/// The folder that the pictures go to.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::var_os("TFP_TEST_SCREENSHOTS")
        .map_or_else(|| std::env::temp_dir().join(format!("tfp-screenshots-{}", std::process::id())), PathBuf::from);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder
});

/// Width, height, whether it is a phone, and the colours that the person prefers.
const VIEWS: [(&str, u32, u32, bool, &str); 4] = [
    ("desktop", 1280, 800, false, "light"),
    ("desktop-dark", 1280, 800, false, "dark"),
    ("phone", 390, 844, true, "light"),
    ("phone-dark", 390, 844, true, "dark"),
];

/// Faults that a program can see; answers a list of sentences.
const FAULTS: &str = r"
    const faults = [];
    const all = (css) => [...document.querySelectorAll(css)];
    if (document.documentElement.lang !== 'en') faults.push('the page does not say its language');
    if (all('h1').length !== 1) faults.push('there are ' + all('h1').length + ' main headings');
    if (!document.title.trim()) faults.push('the page has no title');
    for (const field of all('input:not([type=hidden]), select, textarea')) {
        if (!field.labels.length && !field.ariaLabel) faults.push('no label says what ' + field.outerHTML + ' is');
    }
    for (const button of all('button, a[href]')) {
        if (!button.textContent.trim() && !button.ariaLabel) faults.push('nothing says what ' + button.outerHTML + ' does');
    }
    const ids = all('[id]').map((element) => element.id);
    for (const id of new Set(ids.filter((id, at) => ids.indexOf(id) !== at))) faults.push('two elements are called ' + id);
    const wide = document.documentElement.scrollWidth;
    if (wide > window.innerWidth) faults.push('it is ' + wide + ' wide and the window ' + window.innerWidth);
    const styled = [...document.styleSheets].some((sheet) => sheet.cssRules.length > 0);
    if (!styled) faults.push('it has no style');
    return faults;
";

/// Looks at the page as it stands, in every view, keeps a picture of each, and fails where something is wrong with it.
pub async fn look(browser: &Browser, name: &str) {
    for (view, width, height, phone, colours) in VIEWS {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone });
        browser.command("Emulation.setDeviceMetricsOverride", size).await;
        let scheme = json!({ "features": [{ "name": "prefers-color-scheme", "value": colours }] });
        browser.command("Emulation.setEmulatedMedia", scheme).await;
        let faults = browser.script(FAULTS).await;
        keep(browser, &format!("{name}-{view}")).await;
        assert_eq!(faults, json!([]), "{name} in the view {view}");
    }
    browser.command("Emulation.clearDeviceMetricsOverride", json!({})).await;
    browser.command("Emulation.setEmulatedMedia", json!({ "features": [] })).await;
    let complaints = browser.complaints().await;
    assert!(complaints.is_empty(), "{name}: the browser complains: {complaints:?}");
}

/// Keeps a picture of the page as it stands.
pub async fn keep(browser: &Browser, name: &str) {
    let options = json!({ "format": "png", "captureBeyondViewport": true });
    let picture = browser.command("Page.captureScreenshot", options).await;
    let picture = STANDARD.decode(picture["data"].as_str().expect("a picture")).expect("in base64");
    std::fs::write(FOLDER.join(format!("{name}.png")), picture).expect("the picture can be kept");
}
