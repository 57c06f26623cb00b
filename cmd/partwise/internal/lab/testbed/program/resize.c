/* An application that is resized while it runs: an array of doubles, divided among the processes in blocks, which goes on
 * being so when processes are spawned or end. It does nothing else.
 *
 *	resize ELEMENTS     with one process for each node that it starts on
 *
 * Process 0 reads commands, one a line, and answers:
 *
 *	started NODES
 *	resize NODES        resized NODES NOTIFY DATA START BYTES
 *	end                 everything ends, as it does at the end of the input
 *
 * NOTIFY is how long it took until all processes had heard and stopped, START until the new ones were there and all had a
 * communicator of those that stay, DATA until the array was divided among them, in seconds; BYTES is what was sent between
 * processes. Surplus processes end for good, which OpenMPI lets them do alone with --mca async_mpi_finalize 1. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static MPI_Comm all; /* processes of the application, by rank */
static int rank, nodes;
static long elements;
static double *array; /* block of this process */

/* first returns the first element of a block of n; that of block n is the number of elements. */
static long first(int block, int n) { return elements / n * block + (elements % n < block ? elements % n : block); }

static long length(int block, int n) { return block < n ? first(block + 1, n) - first(block, n) : 0; }

/* polite waits without taking a processor from others, as MPI itself would. */
static void polite(MPI_Request *request)
{
	const struct timespec pause = {0, 200000};
	for (int done = 0;;) {
		MPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (done)
			return;
		nanosleep(&pause, NULL);
	}
}

static double *allocate(long n)
{
	double *a = malloc((n > 0 ? n : 1) * sizeof *a);
	if (a == NULL) {
		fprintf(stderr, "resize: no memory for %ld elements\n", n);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	return a;
}

/* overlap returns how many elements of block a of m are in block b of n. */
static long overlap(int a, int m, int b, int n)
{
	if (a >= m || b >= n)
		return 0;
	long from = first(a, m) > first(b, n) ? first(a, m) : first(b, n);
	long to = first(a + 1, m) < first(b + 1, n) ? first(a + 1, m) : first(b + 1, n);
	return to > from ? to - from : 0;
}

/* divide divides the array, which is in blocks of the first m processes, among the first n. It returns the bytes that all
 * send to others. Blocks are in order, so what a process sends and receives is, too. */
static long divide(MPI_Comm comm, int m, int n)
{
	int size;
	MPI_Comm_size(comm, &size);
	int *counts = calloc(4 * size, sizeof *counts);
	int *sent = counts, *sent_at = counts + size, *got = counts + 2 * size, *got_at = counts + 3 * size;
	for (int i = 0, s = 0, g = 0; i < size; i++) {
		sent[i] = overlap(rank, m, i, n);
		got[i] = overlap(i, m, rank, n);
		sent_at[i] = s;
		got_at[i] = g;
		s += sent[i];
		g += got[i];
	}
	double *next = allocate(length(rank, n));
	MPI_Alltoallv(array, sent, sent_at, MPI_DOUBLE, next, got, got_at, MPI_DOUBLE, comm);
	free(array);
	free(counts);
	array = next;
	long bytes = 0;
	for (int i = 0; i < m; i++)
		for (int k = 0; k < n; k++)
			if (i != k)
				bytes += overlap(i, m, k, n) * (long)sizeof *array;
	return bytes;
}

/* check gives up if an element of the block is not the one that it was in the beginning. */
static void check(void)
{
	for (long i = 0; i < length(rank, nodes); i++)
		if (array[i] != (double)(first(rank, nodes) + i)) {
			fprintf(stderr, "resize: element %ld is lost\n", first(rank, nodes) + i);
			MPI_Abort(MPI_COMM_WORLD, 1);
		}
}

static void replace(MPI_Comm next)
{
	if (all != MPI_COMM_WORLD)
		MPI_Comm_free(&all);
	all = next;
}

/* grow spawns processes up to n, or is what those that were spawned do: then parent is the communicator with the others. */
static void grow(char *program, int n, double began, double notified, MPI_Comm parent)
{
	MPI_Comm merged;
	if (parent == MPI_COMM_NULL) {
		char text[32], *arguments[] = {text, NULL};
		snprintf(text, sizeof text, "%ld", elements);
		MPI_Comm_spawn(program, arguments, n - nodes, MPI_INFO_NULL, 0, all, &parent, MPI_ERRCODES_IGNORE);
		MPI_Intercomm_merge(parent, 0, &merged);
	} else
		MPI_Intercomm_merge(parent, 1, &merged);
	MPI_Comm_disconnect(&parent);
	replace(merged);
	MPI_Comm_rank(all, &rank);
	MPI_Bcast(&nodes, 1, MPI_INT, 0, all);
	double there = MPI_Wtime();
	MPI_Comm_size(all, &n);
	long bytes = divide(all, nodes, n);
	MPI_Barrier(all);
	nodes = n;
	if (rank == 0)
		printf("resized %d %.9f %.9f %.9f %ld\n", nodes, notified - began, MPI_Wtime() - there, there - notified, bytes);
}

/* shrink leaves the array to the first n processes; the others end. */
static void shrink(int n, double began, double notified)
{
	long bytes = divide(all, nodes, n);
	MPI_Barrier(all);
	double divided = MPI_Wtime();
	MPI_Comm stay;
	MPI_Comm_split(all, rank < n ? 0 : MPI_UNDEFINED, rank, &stay);
	replace(stay);
	if (rank >= n) {
		MPI_Finalize();
		exit(0);
	}
	nodes = n;
	if (rank == 0)
		printf("resized %d %.9f %.9f %.9f %ld\n", nodes, notified - began, divided - notified, MPI_Wtime() - divided, bytes);
}

/* command reads one: the nodes that it wants, 0 for the end. */
static int command(void)
{
	char line[64];
	int n;
	if (fgets(line, sizeof line, stdin) == NULL || sscanf(line, "resize %d", &n) != 1 || n < 1)
		return 0;
	return n;
}

int main(int count, char **arguments)
{
	MPI_Comm parent;
	if (count != 2 || (elements = atol(arguments[1])) < 1) {
		fprintf(stderr, "usage: resize ELEMENTS\n");
		return 2;
	}
	MPI_Init(&count, &arguments);
	MPI_Comm_get_parent(&parent);
	all = MPI_COMM_WORLD;
	if (parent == MPI_COMM_NULL) {
		MPI_Comm_rank(all, &rank);
		MPI_Comm_size(all, &nodes);
		array = allocate(length(rank, nodes));
		for (long i = 0; i < length(rank, nodes); i++)
			array[i] = first(rank, nodes) + i;
		MPI_Barrier(all);
		if (rank == 0)
			printf("started %d\n", nodes);
	} else {
		array = allocate(0);
		grow(arguments[0], 0, 0, 0, parent);
	}
	for (;;) {
		fflush(stdout);
		check();
		int n = rank == 0 ? command() : 0;
		double began = MPI_Wtime();
		MPI_Request heard;
		MPI_Ibcast(&n, 1, MPI_INT, 0, all, &heard);
		polite(&heard);
		if (n == 0)
			break;
		MPI_Ibarrier(all, &heard);
		polite(&heard);
		double notified = MPI_Wtime();
		if (n < nodes)
			shrink(n, began, notified);
		else if (n > nodes)
			grow(arguments[0], n, began, notified, MPI_COMM_NULL);
		else if (rank == 0)
			printf("resized %d %.9f 0 0 0\n", nodes, notified - began);
	}
	MPI_Finalize();
	return 0;
}
