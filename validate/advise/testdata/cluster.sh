#!/bin/sh
# A Slurm of several nodes on one host, in a directory of its own.
#
#   cluster.sh install              the Debian packages that it needs, by root
#   cluster.sh run NODES DIRECTORY  starts it, says "ready", and stops it when the standard input ends
#
# The directory, which must not exist, is removed in the end. While it is there, clients find the cluster by
# SLURM_CONF=DIRECTORY/slurm.conf. Everything runs as the user who started it. The daemons of Slurm listen on all
# interfaces and hear only who has the key of the cluster; the database listens to nothing but a socket of the directory.
set -eu

# Debian's place of the daemons is not in the path of all users.
PATH=$PATH:/usr/sbin:/sbin

install() {
	export DEBIAN_FRONTEND=noninteractive
	apt-get update
	apt-get install --yes --no-install-recommends munge mariadb-server slurm-wlm slurmdbd slurm-wlm-mysql-plugin
}

# free_port sets port to the next one that nothing listens on.
free_port() {
	port=$((port + 1))
	while grep -qi ":$(printf %04X "$port") [0-9A-F:]* 0A " /proc/net/tcp; do
		port=$((port + 1))
	done
}

# configure writes the files of all daemons.
configure() {
	user=$(id -un)
	host=$(hostname -s)
	port=$((20000 + $$ % 9000))
	(umask 077 && dd if=/dev/urandom of="$dir/munge.key" bs=128 count=1 2>/dev/null)
	free_port
	database=$port
	(umask 077 && cat >"$dir/slurmdbd.conf") <<-END
		AuthType=auth/munge
		AuthInfo=socket=$dir/munge.socket
		DbdHost=localhost
		DbdAddr=127.0.0.1
		DbdPort=$database
		SlurmUser=$user
		LogFile=$dir/slurmdbd.log
		PidFile=$dir/slurmdbd.pid
		StorageType=accounting_storage/mysql
		StorageHost=localhost
		StorageUser=$user
		StorageLoc=slurm
	END
	free_port
	# Without the database a job can be resized only once. The linear selection of nodes is the one that does not grant
	# a job that expands the nodes which it has. Nodes are given to a job alone, and time limits do not matter.
	cat >"$dir/slurm.conf" <<-END
		ClusterName=testbed
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=$port
		SlurmUser=$user
		SlurmdUser=$user
		AuthType=auth/munge
		AuthInfo=socket=$dir/munge.socket
		StateSaveLocation=$dir/state
		SlurmdSpoolDir=$dir/spool.%n
		SlurmctldPidFile=$dir/slurmctld.pid
		SlurmdPidFile=$dir/slurmd.%n.pid
		SlurmctldLogFile=$dir/slurmctld.log
		SlurmdLogFile=$dir/slurmd.%n.log
		SwitchType=switch/none
		MpiDefault=none
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		SelectType=select/linear
		SchedulerType=sched/builtin
		SchedulerParameters=permit_job_expansion
		ReturnToService=2
		AccountingStorageType=accounting_storage/slurmdbd
		AccountingStorageHost=localhost
		AccountingStoragePort=$database
		AccountingStoragePass=$dir/munge.socket
	END
	node=1
	while [ "$node" -le "$nodes" ]; do
		free_port
		echo "NodeName=node$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$port CPUs=1" >>"$dir/slurm.conf"
		mkdir "$dir/spool.node$node"
		node=$((node + 1))
	done
	echo "PartitionName=all Nodes=node[1-$nodes] Default=YES OverSubscribe=NO MaxTime=INFINITE" >>"$dir/slurm.conf"
	mkdir "$dir/state"
}

# daemon starts one in the background and notes it for the end. It reads nothing.
daemon() {
	name=$1
	shift
	"$@" </dev/null >"$dir/$name.out" 2>&1 &
	daemons="$! $daemons"
}

# await waits until a command succeeds, but not for ever.
await() {
	end=$(($(date +%s) + 60))
	until timeout 5 "$@" >/dev/null 2>&1; do
		if [ "$(date +%s)" -gt $end ]; then
			echo "cluster.sh: after a minute no success with: $*" >&2
			tail -n 5 "$dir"/*.out "$dir"/*.log >&2 || true
			exit 1
		fi
		sleep .1
	done
}

start() {
	export SLURM_CONF="$dir/slurm.conf"
	daemon munged munged --foreground --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" \
		--pid-file="$dir/munged.pid" --log-file="$dir/munged.log" --seed-file="$dir/munge.seed"
	mariadb-install-db --no-defaults --user="$user" --datadir="$dir/data" --auth-root-authentication-method=socket \
		--auth-root-socket-user="$user" --skip-test-db >"$dir/install.out" 2>&1
	daemon mariadbd mariadbd --no-defaults --user="$user" --datadir="$dir/data" --socket="$dir/mariadb.socket" \
		--pid-file="$dir/mariadb.pid" --skip-networking --innodb-flush-log-at-trx-commit=2
	export MYSQL_UNIX_PORT="$dir/mariadb.socket"
	await mariadb-admin --no-defaults --user="$user" ping
	daemon slurmdbd slurmdbd -D
	await sacctmgr --noheader list cluster
	sacctmgr --immediate --quiet add cluster testbed >/dev/null
	daemon slurmctld slurmctld -D -c
	await scontrol ping
	node=1
	while [ "$node" -le "$nodes" ]; do
		daemon "slurmd$node" slurmd -D -N "node$node"
		node=$((node + 1))
	done
	await sh -c '[ "$(sinfo --noheader --Node --states=idle | wc -l)" -eq "$1" ]' - "$nodes"
}

# stop ends the daemons, those first that were started last, and those with force that do not end.
stop() {
	trap - EXIT
	for id in $daemons; do
		kill "$id" 2>/dev/null || continue
		tries=0
		while kill -0 "$id" 2>/dev/null; do
			tries=$((tries + 1))
			[ $tries -eq 100 ] && kill -KILL "$id"
			sleep .05
		done
	done
	wait
	rm -rf "$dir"
}

case "${1:-}" in
install)
	install
	;;
run)
	nodes=$2
	dir=$3
	daemons=
	mkdir -m 700 "$dir"
	trap stop EXIT
	trap 'exit 1' INT TERM HUP
	configure
	start
	echo ready
	while read -r _; do :; done
	;;
*)
	echo "usage: cluster.sh install | cluster.sh run NODES DIRECTORY" >&2
	exit 2
	;;
esac
