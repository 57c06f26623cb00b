package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// onePlural finds a lone 1 before a noun in the plural, with at most two words between: "1 nodes", "1 service phases".
var onePlural = regexp.MustCompile(`(^|[\s(;:"])1 ([a-z-]+ ){0,2}(servers|phases|partitions|nodes|jobs|points|classes|values|rows|entries|runs|replications)\b`)

// oneFiles are models and logs with one of everything: nodes, partitions, jobs, classes.
var oneFiles = map[string]string{
	"one.yaml": "version: 1\nmachine: {nodes: 1}\narrivals: {rate: 0.005}\n" +
		"jobs: {demand: {exponential: {mean: 100}}, speedup: linear}\n",
	"unit.yaml": "version: 1\nmachine: {nodes: 1, min_nodes: 2}\narrivals: {rate: 0.005}\n" +
		"jobs: {demand: {exponential: {mean: 100}}, speedup: linear}\n",
	"service.yaml": "version: 1\nmachine: {nodes: 1}\narrivals: {rate: 0.005}\n" +
		"jobs: {service: [{exponential: {mean: 1}}, {exponential: {mean: 2}}]}\n",
	"overhead.yaml": "version: 1\nmachine: {nodes: 1}\narrivals: {rate: 0.005}\n" +
		"jobs: {demand: {exponential: {mean: 1}}, speedup: linear}\ndynamic: {shrink: {means: [1, 2]}, expand: {means: [1]}}\n",
	"class.yaml": "version: 1\nmachine: {nodes: 1}\narrivals: {rate: 0.002}\n" +
		"jobs: {classes: [{name: a, share: 1, nodes: 1, demand: {exponential: {mean: 100}}, speedup: linear}]}\n",
	"wide.yaml": "version: 1\nmachine: {nodes: 1}\narrivals: {rate: 0.002}\n" +
		"jobs: {classes: [{name: a, share: 1, nodes: 2, demand: {exponential: {mean: 100}}, speedup: linear}]}\n",
	"log.swf":    "; MaxNodes: 1\n1 0 0 10 1 -1 -1 1 20 -1 1 1 1 -1 1 1 -1 -1\n",
	"values.txt": "5\n",
}

// oneCalls are calls whose answers and refusals count one thing.
var oneCalls = []string{
	"check one.yaml", "check unit.yaml", "check service.yaml", "check overhead.yaml", "check class.yaml", "check wide.yaml",
	"solve one.yaml", "solve one.yaml --policy static:2", "solve class.yaml", "solve class.yaml --policy fcfs --percentiles",
	"solve M/E300/1 --load 0.7 --memory 4MiB", "solve M/E300/1 --load 0.7 --percentiles --memory 12MiB",
	"simulate one.yaml --jobs 1", "simulate one.yaml --jobs 100 --replications 1", "validate one.yaml --jobs 1 --replications 1",
	"curve one.yaml --load 0.5", "curve one.yaml --load 5", "sweep one.yaml --over load=0.5", "sweep one.yaml --over load=3",
	"report one.yaml --load 3 --output r.md", "breakeven one.yaml --over load --steps 2",
	"lab gang one.yaml --slice 60s", "lab gang one.yaml --slice 60s,30s", "lab compare one.yaml --jobs 1",
	"lab compare one.yaml --jobs 130 --dedicated 0.1s", "lab overheads --nodes 1", "lab workload lublin99 --nodes 1 --jobs 1",
	"lab coschedule --nodes 1 --jobs 1 --replications 1", "lab epochs --jobs 1 --nodes 1 --draws 1",
	"log log.swf", "log log.swf --by user", "replay log.swf --policy easy", "replay log.swf --policy dynamic --min-nodes 3",
	"study log.swf --output s.html", "study log.swf --min-nodes 3 --output s.html", "advise log.swf", "breakeven log.swf",
	"lab compare log.swf", "init from-log log.swf", "fit log.swf --swf runtime", "fit values.txt", "fit values.txt --phases 1",
	"fit log.swf --swf work --speedup table:2=1.5",
}

// TestOneIsSingular: numbers and their nouns agree in what commands print where they count one thing.
func TestOneIsSingular(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range oneFiles {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, call := range oneCalls {
		args := strings.Fields(call)
		for i, arg := range args {
			if slices.Contains([]string{".yaml", ".swf", ".txt", ".md", ".html"}, filepath.Ext(arg)) {
				args[i] = filepath.Join(dir, arg)
			}
		}
		if !slices.Contains([]string{"study", "report", "init"}, args[0]) && args[1] != "workload" {
			args = append(args, "--format", "table")
		}
		c := runIn(t.Context(), args...)
		for _, line := range strings.Split(c.stdout.String()+"\n"+c.stderr.String(), "\n") {
			if onePlural.MatchString(line) {
				t.Errorf("%s: %s", call, line)
			}
		}
	}
}
