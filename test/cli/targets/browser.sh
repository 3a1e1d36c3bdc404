#!/bin/sh
# Stands for a browser: takes the page and its profile, and says where from.
page=${1%%#*}
printf '%s\n' "$1" >"$BROWSER_LOG.part"
node -e '
  const [page] = process.argv.slice(1);
  const ok = async (url) => { const got = await fetch(url); if (!got.ok) process.exit(1); await got.arrayBuffer(); };
  await ok(page); await ok(`${page}profile.speedscope.json`);
' --input-type=module "$page" || exit 1
mv "$BROWSER_LOG.part" "$BROWSER_LOG"
