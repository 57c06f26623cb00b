#!/bin/sh
{{template "head" .}}#
# Run it on every node of a job, with the host of the rendezvous and a name of the job that is the same on all:
#   RDZV_HOST=node1 RUN_ID=job1 sh torchrun.sh
# A node that begins later joins; each change stops and restarts all workers of the job.
set -eu
{{note "least"}}
{{note "largest"}}
exec torchrun --nnodes={{.Least}}:{{.Most}} --nproc-per-node={{.Processes}} \
	--rdzv-backend=c10d --rdzv-endpoint="${RDZV_HOST:?}:29400" --rdzv-id="${RUN_ID:?}" \
	--max-restarts=100 train.py --resume latest
