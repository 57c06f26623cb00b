package sweep_test

import (
	"strings"
	"testing"

	"github.com/partwise/partwise/models/sweep"
)

// Both scripts solve each shard and merge them, whatever letters the names of files have.
func TestScripts(t *testing.T) {
	for _, c := range []struct {
		system string
		lines  []string
	}{
		{"slurm", []string{"#SBATCH --job-name=partwise-my--results-csv", "#SBATCH --array=1-16", "#SBATCH --output='my $results.csv.shard-%a.log'",
			`exec "${PARTWISE:-partwise}" sweep 'a b.yaml' --output 'my $results.csv' --over machine.nodes=8,16 \`,
			`merge '\''my $results.csv.shard-'\''*-of-16 --output '\''my $results.csv'\'' --format csv`}},
		{"kubernetes", []string{"completions: 16", "name: partwise-my--results-csv-merge",
			`exec partwise sweep 'a b.yaml' --output 'my $$results.csv' --over machine.nodes=8,16 --shard`, `merge 'my $$results.csv.shard-'*-of-16`}},
	} {
		s := sweep.Script{System: c.system, Title: "A study", Command: "sweep", Files: []string{"a b.yaml"},
			Flags: []string{"--over", "machine.nodes=8,16"}, Output: "my $results.csv", MergeFlags: []string{"--format", "csv"}, Count: 16}
		var b strings.Builder
		if err := s.Write(&b); err != nil {
			t.Fatal(err)
		}
		for _, line := range c.lines {
			if !strings.Contains(b.String(), line) {
				t.Errorf("%s: no %q in\n%s", c.system, line, &b)
			}
		}
	}
	if err := new(sweep.Script).Write(new(strings.Builder)); err == nil || !strings.Contains(err.Error(), "slurm or kubernetes") {
		t.Errorf("without a batch system: %v", err)
	}
}
