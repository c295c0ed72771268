"""Checks the sources, and the optimised code, against docs/memory.md."""
import re
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

# Patterns of unsafe code, and the rules of docs/memory.md that allow each.
NEEDS = [
    (r"\bunowned\(unsafe\)", {3}),
    (r"\bUnmanaged\b", {3, 4, 7, 9}),
    (r"\b_withUnsafeGuaranteedRef\b", {3, 4, 5}),
    (r"\bunsafeDowncast\b|\bunsafeBitCast\b", {7}),
    (r"@exclusivity\(unchecked\)", {5, 6}),
    (r"\bwithBorrowed\(", {5}),
    (r"^\s*@safe$", {3, 4, 5, 6, 7, 8, 9}),
    (r"\bnonisolated\(unsafe\)", {5, 6, 9}),
]
# Files that may keep an object as an existential.
HELD = {"Sources/FlowCore/Internals/HeldSubscription.swift"}


def check_sources(root):
    found = []
    for path in sorted((root / "Sources").rglob("*.swift")):
        name = str(path.relative_to(root))
        lines = path.read_text().splitlines()
        rules = {int(n) for line in lines for n in re.findall(r"\bmemory (\d)", line)}
        code = [re.sub(r"//.*", "", line) for line in lines]
        for pattern, allowed in NEEDS:
            place = next((n for n, line in enumerate(code, 1) if re.search(pattern, line)), None)
            if place and not rules & allowed:
                rule = " or ".join(f"memory {n}" for n in sorted(allowed))
                found.append(f"{name}:{place}: names no rule of docs/memory.md; expected {rule}")
        for number, line in enumerate(code, 1):
            if re.search(r"\bany \w[\w.<>]* & AnyObject", line) and name not in HELD:
                found.append(f"{name}:{number}: an object is kept as `any … & AnyObject`; use _HeldSubscription (memory 2)")
    return found


# Instructions of optimised SIL whose result is the same object as their operand.
SAME = {
    "open_existential_ref", "upcast", "unchecked_enum_data", "struct_extract", "tuple_extract",
    "unchecked_ref_cast", "init_existential_ref", "enum", "struct", "tuple", "copy_value", "begin_borrow",
    "unconditional_checked_cast", "unchecked_bitwise_cast",
}
INSIDE = {
    "struct_element_addr", "tuple_element_addr", "begin_access", "unchecked_take_enum_data_addr",
    "unchecked_addr_cast", "index_addr", "open_existential_addr",
}


def functions(path):
    name, body = None, []
    with open(path, errors="replace") as file:
        for line in file:
            if line.startswith("sil "):
                name, body = line, []
            elif name and line.startswith("}"):
                yield name, body
                name = None
            elif name:
                body.append(line.split(" //")[0].rstrip())


def unheld(body):
    """Yields the variables whose reference `body` passes to a call indirectly, without retaining it."""
    made, ways = {}, defaultdict(set)
    stores, retained = [], set()
    for place, line in enumerate(body):
        if m := re.match(r"\s*(%\d+) = (\w+)\s*(.*)", line):
            made[m[1]] = (m[2], m[3], place)
        elif m := re.match(r"(bb\d+)\((.*)\):", line):
            for index, value in enumerate(re.findall(r"(%\d+) : ", m[2])):
                made[value] = ("argument", f"{m[1]}:{index}", place)
        elif m := re.match(r"\s*switch_enum (%\d+), (.*)", line):
            for block in re.findall(r": (bb\d+)", m[2]):
                ways[f"{block}:0"].add(m[1])
        elif m := re.match(r"\s*br (bb\d+)\((.*)\)", line):
            for index, value in enumerate(re.findall(r"(%\d+) : ", m[2])):
                ways[f"{m[1]}:{index}"].add(value)
        elif m := re.match(r"\s*store (%\d+) to (?:\[\w+\] )?(%\d+)", line):
            stores.append((m[1], m[2], place))
        elif m := re.match(r"\s*(?:strong_retain|retain_value) (%\d+)", line):
            retained.add(m[1])

    def same(value, seen):
        if value not in seen:
            seen.add(value)
            kind, rest, _ = made.get(value, ("", "", 0))
            if kind == "argument":
                for other in ways[rest]:
                    same(other, seen)
            elif kind in SAME:
                text = rest if kind in ("struct", "enum", "tuple") else rest.split(":")[0]
                for other in re.findall(r"%\d+", text):
                    same(other, seen)
        return seen

    def variable(address):
        while address in made and made[address][0] in INSIDE:
            address = re.search(r"%\d+", made[address][1])[0]
        kind, rest, _ = made.get(address, ("", "", 0))
        is_field = kind == "ref_element_addr" and "[immutable]" not in rest
        return (re.search(r"#[\w.]+", rest) or [rest])[0] if is_field or kind == "global_addr" else None

    changed = {variable(target) for _, target, _ in stores}
    for value, target, place in stores:
        kind, rest, _ = made.get(target, ("", "", 0))
        if kind != "alloc_stack":
            continue
        calls = (line for line in body[place + 1 : place + 40] if re.search(r"\b(try_)?apply\b", line))
        if not any(re.search(re.escape(target) + r"\b", call.split(" : ")[0]) for call in calls):
            continue
        values = same(value, set())
        if any(values & same(other, set()) for other in retained):
            continue
        for loaded in values:
            if made.get(loaded, ("",))[0] != "load":
                continue
            origin = variable(re.search(r"%\d+", made[loaded][1])[0])
            # A variable that is also stored to may have given its reference away.
            if origin and origin not in changed and "@opened" in rest:
                yield origin


# The targets whose objects call each other.
ROOMS = ["FlowCore", "FlowLanguage", "FlowServer", "FlowNATSBackend", "FlowRemote"]


def optimised(root, room, folder):
    """Compiles a room against the modules of a release build, and returns the file with its optimised SIL."""
    build = root / ".build" / "release"
    code = Path(folder) / f"{room}.sil"
    subprocess.run(
        ["swiftc", "-emit-sil", "-O", "-wmo", "-parse-as-library", "-swift-version", "6", "-suppress-warnings"]
        + [word for name in ("ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility") for word in ("-enable-upcoming-feature", name)]
        + ["-package-name", re.sub(r"\W", "_", root.resolve().name.lower()), "-module-name", room, "-I", build / "Modules"]
        + [word for name in ("CLinux", "CPage", "CVectors") for word in ("-Xcc", f"-fmodule-map-file={build / f'{name}.build' / 'module.modulemap'}")]
        + ["-o", code]
        + sorted((root / "Sources" / room).rglob("*.swift")),
        check=True,
    )
    return code


def check_code(root):
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for room in ROOMS:
            for name, body in functions(optimised(root, room, folder)):
                for origin in sorted(set(unheld(body))):
                    function = (re.search(r"@(\S+)", name) or ["", name])[1]
                    found.append(f"{room}: {function} calls through {origin} without holding it (memory 2)")
    return found
