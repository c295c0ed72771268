"""The systemd units of docs/deploy.md beside those of Packaging, as systemd-analyze sees them."""

import os, shutil, subprocess

from proxies import expect
from recipes import ROOT


def check_units(recipes, folder):
    if not shutil.which("systemd-analyze"):
        print("there is no systemd-analyze; the units are not tested")
        return
    units = f"{folder}/units"
    os.makedirs(f"{units}/flow.service.d")
    # The program need not be installed.
    program = ("/usr/local/bin/FlowServer", "/bin/true")
    for name in ("flow-proxy.socket", "flow-page.socket", "flow.service.d/proxy.conf"):
        with open(f"{units}/{name}", "w") as file:
            file.write(recipes.file(f"/etc/systemd/system/{name}", *([program] if name.endswith(".conf") else [])))
    for name in ("flow.service", "flow.socket"):
        with open(f"{ROOT}/Packaging/{name}") as unit, open(f"{units}/{name}", "w") as file:
            file.write(unit.read().replace(*program))
    found = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(f"{units}/{name}" for name in ("flow.service", "flow-proxy.socket", "flow-page.socket"))],
        capture_output=True, text=True, timeout=20,
    )  # fmt: skip
    said = [line for line in (found.stdout + found.stderr).splitlines() if units in line or "flow" in line]
    expect(found.returncode == 0 and not said, f"systemd-analyze verify: {said or found}")
    print("ok: the units", flush=True)
