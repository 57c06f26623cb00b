#!/bin/bash
# partwise: EASY backfilling with {{.Malleable.Percent}} of the jobs malleable, on {{.Nodes}} nodes.
# controller.py shrinks malleable jobs for waiting jobs and lets them grow; partwise advise --malleable --controller writes it.
# Numbers without a comment belong to the system, not to the policy.
#
# A malleable job for sbatch. It writes a checkpoint on USR1, and goes on from the latest. Rigid jobs stay as they are.
# Slurm starts all jobs, in slurm.conf; nodes are given to a job as a whole:
#   SchedulerType=sched/backfill
#   PartitionName={{.Malleable.Partition}} Nodes=node[1-{{.Nodes}}] OverSubscribe=EXCLUSIVE State=UP
{{- if .Malleable.StartWindow}}
# Not in this file: the start window {{.Malleable.StartWindow}}. Slurm starts jobs at any time.
{{- end}}
#
# The fewest and the most nodes, {{.Malleable.Least}} and {{.Malleable.Most}} times those that the job would ask for otherwise, in multiples of {{.Unit}}:
# for a job of {{.Asked}} node{{if ne .Asked 1}}s{{end}}{{if .Malleable.Typical}}, which half of the jobs of the log do not exceed,{{end}} {{.AtLeast}} and {{.AtMost}}. The comment tells them to controller.py.
#SBATCH --nodes={{.AtLeast}}-{{.AtMost}}
#SBATCH --comment=partwise={{.AtLeast}}-{{.AtMost}}
# The controller and backfilling need the limit of the run time, on the fewest nodes.
#SBATCH --time=8:00:00
#SBATCH --job-name=elastic
#SBATCH --partition={{.Malleable.Partition}}
#SBATCH --ntasks-per-node=1
{{- if .GPUs}}
# {{.GPUs}} GPUs of a node: as --gpus-per-node says. Left to you: to try a shrink of a job with GPUs.
#SBATCH --gpus-per-node={{.GPUs}}
{{- end}}
{{template "resizable job"}}
srun --no-kill --kill-on-bad-exit=0 --ntasks-per-node=1 torchrun --nnodes={{.AtLeast}}:{{.AtMost}} --nproc-per-node={{.Processes}} \
	--max-restarts=100 --rdzv-backend=c10d --rdzv-endpoint="$SLURMD_NODENAME:29400" --rdzv-id="$SLURM_JOB_ID" \
	train.py --resume latest &
{{template "wait for step"}}
