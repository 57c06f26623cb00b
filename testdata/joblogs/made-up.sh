#!/bin/sh
# Makes up made-up.txt, the log that README.md studies, and prints it: made-up.sh
#
# The jobs are those of Lublin's model with the seed 2, on 64 nodes, as EASY backfilling would have run them. The table is that
# of sacct --allocations --parsable2, in UTC. No job is anybody's.
set -eu
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
partwise lab workload lublin99 --nodes 64 --jobs 2500 --load 0.7 --estimates model --seed 2 --output "$dir/made-up.swf" --quiet
partwise replay "$dir/made-up.swf" --policy easy --jobs-output "$dir/jobs.csv" --format csv --quiet > "$dir/measures.csv"
sed 1d "$dir/jobs.csv" | sort -t, -k2n | awk -F, '
function stamp(t, day) { # from Monday, 5 January 2026, on
	day = 5 + int(t / 86400)
	return sprintf("2026-%02d-%02dT%02d:%02d:%02d", day > 31 ? 2 : 1, day > 31 ? day - 31 : day, t / 3600 % 24, t / 60 % 60, t % 60)
}
function clock(t) { return (t >= 86400 ? int(t / 86400) "-" : "") sprintf("%02d:%02d:%02d", t / 3600 % 24, t / 60 % 60, t % 60) }
BEGIN { print "JobID|Submit|Start|End|AllocNodes|State|Timelimit" }
{ print $2 "|" stamp($3) "|" stamp($4) "|" stamp($5) "|" $6 "|COMPLETED|" clock(60 * int(($10 + 59) / 60)) }'
