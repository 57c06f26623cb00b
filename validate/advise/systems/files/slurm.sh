#!/bin/bash
{{template "head" .}}#
# A job for sbatch; with controller.py, sbatch --hold. It writes a checkpoint on USR1, and goes on from the latest.
# The partition, in slurm.conf; nodes are given to a job as a whole:
#   PartitionName=elastic Nodes=node[1-{{.Nodes}}] OverSubscribe=EXCLUSIVE State=UP
{{- if .Rule.Cap}}
{{note "cap"}}
#   sacctmgr add qos elastic set GrpJobs={{.Jobs}}   (slurm.conf: AccountingStorageEnforce=limits,qos)
#SBATCH --qos=elastic
{{- end}}
#SBATCH --job-name=elastic
#SBATCH --partition=elastic
{{note "least"}}
{{note "largest"}}
# Without controller.py, --nodes={{.Begin}}: the best static split. With a range a job that finds the machine empty takes it.
#SBATCH --nodes={{.Least}}-{{.Most}}
#SBATCH --ntasks-per-node=1
{{- if .GPUs}}
# {{.GPUs}} GPUs of a node: as --gpus-per-node says, whatever the rule is. Left to you: to try a shrink of a job with GPUs.
#SBATCH --gpus-per-node={{.GPUs}}
{{- end}}
{{template "resizable job"}}
# The fewest and the most nodes once more: exactly; torchrun starts no group with others.
srun --no-kill --kill-on-bad-exit=0 --ntasks-per-node=1 torchrun --nnodes={{.Least}}:{{.Most}} --nproc-per-node={{.Processes}} \
	--max-restarts=100 --rdzv-backend=c10d --rdzv-endpoint="$SLURMD_NODENAME:29400" --rdzv-id="$SLURM_JOB_ID" \
	train.py --resume latest &
{{template "wait for step"}}
