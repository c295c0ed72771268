"""Checks that the SBOM in a folder follows SPDX 2.3 and describes the packages beside it.

Usage: sbom.py FOLDER INSTALL.md; INSTALL.md must name the oldest glibc.
"""
import hashlib
import json
import pathlib
import re
import sys
import tarfile

folder, page = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()
bom = json.loads(next(folder.glob("*.spdx.json")).read_text())


def expect(condition, text):
    if not condition:
        sys.exit(f"sbom.py: {text}")


expect(bom["spdxVersion"] == "SPDX-2.3" and bom["dataLicense"] == "CC0-1.0", "not SPDX 2.3")
expect(re.fullmatch(r"https://\S+-[0-9a-f]{40}", bom["documentNamespace"]), "the namespace does not end with the commit")
expect(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", bom["creationInfo"]["created"]), "no time of creation")
identifiers = [part["SPDXID"] for part in [bom, *bom["packages"], *bom["files"]]]
expect(len(identifiers) == len(set(identifiers)), "two parts have the same identifier")
expect(all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", each) for each in identifiers), "an identifier is wrong")
for relation in bom["relationships"]:
    for end in ("spdxElementId", "relatedSpdxElement"):
        expect(relation[end] in identifiers, f"{relation[end]} is no identifier of a part")
for package in bom["packages"]:
    for field in ("name", "versionInfo", "downloadLocation", "licenseConcluded", "licenseDeclared", "supplier"):
        expect(package.get(field), f"{package['name']} has no {field}")
    expect(package["versionInfo"] != "NOASSERTION", f"the version of {package['name']} is not known")


def sums(part):
    return {sum["algorithm"]: sum["checksumValue"] for sum in part["checksums"]}


made = {package["packageFileName"]: sums(package)["SHA256"] for package in bom["packages"] if "packageFileName" in package}
expect(len(made) == 2, f"the packages are {sorted(made)}")
for name, sum in made.items():
    expect(hashlib.sha256((folder / name).read_bytes()).hexdigest() == sum, f"the sum of {name} is wrong")
with tarfile.open(next(folder.glob("*.tar.gz"))) as tar:
    held = {
        "./" + member.name.split("/", 1)[1]: hashlib.sha256(tar.extractfile(member).read()).hexdigest()
        for member in tar
        if member.isfile()
    }
expect(held == {file["fileName"]: sums(file)["SHA256"] for file in bom["files"]}, "the files are not those of the tarball")

named = {package["SPDXID"]: package for package in bom["packages"]}
kinds = {
    kind: {named[relation["relatedSpdxElement"]]["name"] for relation in bom["relationships"]
           if relation["spdxElementId"] == "SPDXRef-file-bin-FlowServer" and relation["relationshipType"] == kind}
    for kind in ("STATIC_LINK", "DYNAMIC_LINK")
}  # fmt: skip
expect({"swiftCore", "swift_Concurrency", "dispatch", "libstdc++", "libgcc"} <= kinds["STATIC_LINK"], f"linked are {kinds}")
expect(kinds["DYNAMIC_LINK"] == {"glibc", "libgcc_s"}, f"the programs need {kinds['DYNAMIC_LINK']}")
least = next(package["versionInfo"].removeprefix(">= ") for package in bom["packages"] if package["name"] == "glibc")
expect(f"glibc {least} " in page, f"the programs need glibc {least}; docs/install.md says otherwise")
print(f"the SBOM is right: {len(bom['packages'])} packages, {len(bom['files'])} files; glibc {least}")
