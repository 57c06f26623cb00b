package tree_test

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/models/modelfile/internal/tree"
)

func ExampleReadTree() {
	text := []byte("machine:\n  nodes: 8\n  boot: 2min\n")
	errs := new(tree.Collector)
	root := tree.ReadTree("m.yaml", text, errs)
	edit := tree.Editor{Errs: errs}
	root = edit.Apply(root, []tree.Set{{Path: "machine.nodes", Value: "16"}})

	c := tree.Root(root, errs)
	c.Keys("machine")
	m := c.Need("machine", "say how large it is")
	m.Keys("nodes", "boot")
	fmt.Println(m.Need("nodes", "").Whole(1, 1024), "nodes,", m.Field("boot").Time(), "s")
	fmt.Println(errs.Err())
	// Output:
	// 16 nodes, 120 s
	// <nil>
}

func ExampleErrors_tree() {
	errs := new(tree.Collector)
	root := tree.ReadTree("m.yaml", []byte("nodes: eight\nboto: 2min\n"), errs)
	c := tree.Root(root, errs)
	c.Keys("nodes", "boot")
	c.Need("nodes", "").Whole(1, 1024)
	var all tree.Errors
	if errors.As(errs.Err(), &all) {
		for _, e := range all {
			fmt.Println(e)
			fmt.Print(e.Excerpt())
		}
	}
	// Output:
	// m.yaml:1:8: nodes: expected a whole number, got "eight"
	//    1 | nodes: eight
	//      |        ^
	// m.yaml:2:1: boto: unknown field; did you mean "boot"?
	//    2 | boto: 2min
	//      | ^
}
