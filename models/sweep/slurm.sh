#!/bin/bash
#
# {{.What}}, in {{.Count}} jobs of one core each. Made by partwise {{.Command}} --slurm.
#
#   bash SCRIPT     submits the array, and a job behind it that merges the shards
#   sbatch SCRIPT   submits the array only; after a failure or a time limit submit it again: what is solved is not
#                   solved twice
#
#SBATCH --job-name={{.Name}}
#SBATCH --array=1-{{.Count}}
#SBATCH --cpus-per-task=1
#SBATCH --time=24:00:00
#SBATCH --requeue
#SBATCH --signal=B:TERM@60
#SBATCH --open-mode=append
#SBATCH --output={{.Log}}

set -eu

if [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
	array=$(sbatch --parsable "$0")
	sbatch --job-name={{.Name}}-merge --dependency="afterok:${array%%;*}" --kill-on-invalid-dep=yes \
		--output={{.Name}}-merge.log --wrap={{quoted (print .Program " " .Merge)}}
	exit
fi

exec {{.Program}} {{.Solve}} \
	--shard "$SLURM_ARRAY_TASK_ID/{{.Count}}" --workers "${SLURM_CPUS_PER_TASK:-1}" --resume
