"""`.ci/java`, by which `make` sees to it that there is a Java for Spark."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / ".ci" / "java"
TOOLS = ("bash", "sed", "chmod", "cat")


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder with the few programs that there are."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOLS:
        (folder / tool).symlink_to(str(shutil.which(tool)))
    return folder


def program(path: Path, text: str) -> None:
    path.write_text(f"#!{shutil.which('bash')}\n{text}\n")
    path.chmod(0o755)


def java(folder: Path, version: str) -> None:
    program(folder / "java", f"echo 'openjdk version \"{version}\" 2025-04-15' >&2")


def run(tools: Path, **environment: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [str(tools / "bash"), str(SCRIPT)],
        env={"PATH": str(tools), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("version", ["17", "17.0.15", "21.0.1", "25-ea"])
def test_a_java_that_will_do(version: str, tools: Path) -> None:
    java(tools, version)
    assert run(tools) == (0, "", "")


@pytest.mark.parametrize("version", [None, "1.8.0_392", "11.0.2", "16"])
def test_none_that_will_do_and_no_right_to_install_one(version: str | None, tools: Path) -> None:
    if version:
        java(tools, version)
    program(tools / "id", "echo 1000")
    program(tools / "apt-get", "echo it is run >&2")
    code, out, err = run(tools)
    assert (code, out) == (2, "")
    assert err == (
        "Spark needs Java 17 or newer, and there is none: install openjdk-17-jre-headless, "
        "or set JAVA_HOME to where it is\n"
    )


def test_the_java_of_java_home_counts(tools: Path, tmp_path: Path) -> None:
    (tmp_path / "home" / "bin").mkdir(parents=True)
    java(tools, "17")
    java(tmp_path / "home" / "bin", "11")
    program(tools / "id", "echo 0")
    assert run(tools, JAVA_HOME=str(tmp_path / "home"))[0] == 2
    java(tmp_path / "home" / "bin", "21")
    assert run(tools, JAVA_HOME=str(tmp_path / "home"))[0] == 0


@pytest.mark.parametrize("package", ["openjdk-17-jre-headless", "default-jre-headless"])
def test_it_is_installed_where_it_may_be(package: str, tools: Path) -> None:
    program(tools / "id", "echo 0")
    made = f"#!{tools / 'bash'}\\necho 'openjdk version \\\"17.0.15\\\"' >&2"
    program(
        tools / "apt-get",
        f"""[ "$1" = update ] && exit 0
[ "${{!#}}" = {package} ] || exit 100
echo -e "{made}" > {tools / "java"}
chmod +x {tools / "java"}""",
    )
    assert run(tools) == (0, "== installing Java, which Spark needs\n", "")
    assert run(tools) == (0, "", "")


def test_an_installation_that_fails(tools: Path) -> None:
    program(tools / "id", "echo 0")
    program(tools / "apt-get", "exit 100")
    code, _, err = run(tools)
    assert code == 2
    assert err.startswith("Spark needs Java 17 or newer")
