#!/bin/sh
# The tables of Mu'alem and Feitelson (2001) for a job log: tables.sh LOG [NODES] [REPLICATIONS]
set -eu
log=$1 nodes=${2:+--nodes $2} replications=${3:-10}
replay() { partwise replay "$log" $nodes --quiet --policy easy --policy conservative --format table --wide "$@"; }
rows() { replay "$@" | grep -E '^(easy|conservative) '; }

echo "Table 1: EASY and conservative backfilling, month by month"
replay --by month

echo
echo "Table 2: how good users' estimates are"
partwise log "$log" ${2:+--nodes $2} --quiet --format table | sed '/^Jobs per hour/,$d'

echo
echo "Table 3: estimates as logged, and uniform between the run time and f times that ($replications seeds)"
echo "              load  response [s]  waiting [s]  bounded slowdown  utilization  backfilled  EASY / it"
echo "logged"
rows
for f in 1 2 4 11 31 101 301; do
	echo "f = $f"
	rows --estimates "uniform:$f" --replications "$replications"
done

echo
echo "Table 4: users' estimates doubled"
rows --estimates times:2

echo
echo "Beyond the paper: estimates modelled, from history, with killing; jobs molded, jobs resized"
for e in model history; do
	echo "$e"
	rows --estimates "$e"
done
echo "logged, jobs killed at their estimates"
replay --kill-at-estimate | sed '1d;/^$/,$d'
partwise replay "$log" $nodes --quiet --policy fcfs --policy easy --policy asp --policy dynamic --resize-cost 0s --policy static:4 \
	--speedup amdahl:0.01 --format table --wide
