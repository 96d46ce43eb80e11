# Builds the bot. Where Debian's package librust-serde-json-dev is installed, that is used, and no network is needed.
# Elsewhere cargo downloads serde_json. If your bot uses crates that Debian lacks, call `cargo build --release` instead.
set -e
debian=/usr/share/cargo/registry
if [ -n "$(find "$debian" -maxdepth 1 -name 'serde_json-1.*' 2>/dev/null)" ]; then
  exec cargo build --release --offline \
    --config 'source.crates-io.replace-with = "debian"' --config "source.debian.directory = '$debian'"
fi
exec cargo build --release
