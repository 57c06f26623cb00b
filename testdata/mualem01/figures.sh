#!/bin/sh
# The figures of Mu'alem and Feitelson (2001) for a job log: figures.sh LOG NODES DIRECTORY [JOBS]
set -eu
log=$1 nodes=$2 to=$3 jobs=${4:-100000}
mkdir -p "$to"

# Figures 4, 5 and 7: response time, slowdown and backfilling against the load, for models of jobs. Jann's is fitted to
# the log; feitelson96s, l and sl are Feitelson's with more small jobs, with longer runs, and with both.
for model in feitelson96 jann97 feitelson96s feitelson96l feitelson96sl lublin99; do
	fit=
	[ "$model" != jann97 ] || fit="--fit $log"
	partwise lab workload "$model" $fit --nodes "$nodes" --jobs "$jobs" --quiet --output "$to/$model.swf"
	partwise replay "$to/$model.swf" --policy easy --policy conservative --load 0.5:0.9:0.05 --quiet --format csv \
		--output "$to/$model.csv" --plot "$to/$model.svg"
	# Figure 6: run times by size, of the models ...
	partwise log "$to/$model.swf" --quiet --format table --output "$to/$model-sizes.txt" --plot "$to/$model-sizes.svg"
done
# ... and of the log; with figure 8, users' estimates, and figure 9, estimates from history.
for estimates in logged history; do
	partwise log "$log" --nodes "$nodes" --estimates "$estimates" --quiet --format table \
		--output "$to/estimates-$estimates.txt" --plot "$to/estimates-$estimates.svg"
done
