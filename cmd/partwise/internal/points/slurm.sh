#!/bin/bash
#
# %[1]s, in %[2]d jobs of one core each. Made by partwise %[5]s --slurm.
#
#   bash SCRIPT     submits the array, and a job behind it that merges the shards
#   sbatch SCRIPT   submits the array only; after a failure or a time limit submit it again: what is solved is not
#                   solved twice
#
#SBATCH --job-name=%[3]s
#SBATCH --array=1-%[2]d
#SBATCH --cpus-per-task=1
#SBATCH --time=24:00:00
#SBATCH --requeue
#SBATCH --signal=B:TERM@60
#SBATCH --open-mode=append
#SBATCH --output=%[4]s

set -eu

if [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
	array=$(sbatch --parsable "$0")
	sbatch --job-name=%[3]s-merge --dependency="afterok:${array%%%%;*}" --kill-on-invalid-dep=yes \
		--output=%[3]s-merge.log --wrap=%[7]s
	exit
fi

exec "${PARTWISE:-partwise}" %[6]s \
	--shard "$SLURM_ARRAY_TASK_ID/%[2]d" --workers "${SLURM_CPUS_PER_TASK:-1}" --resume
