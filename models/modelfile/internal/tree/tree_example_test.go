package tree_test

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
)

func ExampleReadTree() {
	text := []byte("machine:\n  nodes: 8\n  boot: 2min\n")
	errs := new(tree.Collector)
	root := tree.ReadTree("m.yaml", text, errs)
	edit := tree.Editor{Errs: errs}
	root = edit.Apply(root, []tree.Set{{Path: "machine.nodes", Value: "16"}})

	d := tree.Decoder{Errs: errs, Unit: measure.Second()}
	if o, ok := d.Root(root).Object("machine"); ok {
		if m, ok := o.Need("machine", "say how large it is"); ok {
			if fields, ok := m.Object("nodes", "boot"); ok {
				nodes, _ := fields.Need("nodes", "")
				n, _ := nodes.Whole("the number of nodes", 1, 1024)
				boot := fields.Time("boot")
				fmt.Println(n, "nodes,", boot, "s")
			}
		}
	}
	fmt.Println(errs.Err())
	// Output:
	// 16 nodes, 120 s
	// <nil>
}

func ExampleErrors_tree() {
	errs := new(tree.Collector)
	root := tree.ReadTree("m.yaml", []byte("nodes: eight\nboto: 2min\n"), errs)
	d := tree.Decoder{Errs: errs, Unit: measure.Second()}
	if o, ok := d.Root(root).Object("nodes", "boot"); ok {
		if v, ok := o.Need("nodes", ""); ok {
			v.Whole("the number of nodes", 1, 1024)
		}
	}
	var all tree.Errors
	if errors.As(errs.Err(), &all) {
		for _, e := range all {
			fmt.Println(e)
			fmt.Print(e.Excerpt())
		}
	}
	// Output:
	// m.yaml:1:8: nodes: expected the number of nodes, a whole number, got "eight"
	//    1 | nodes: eight
	//      |        ^
	// m.yaml:2:1: boto: unknown field; did you mean "boot"?
	//    2 | boto: 2min
	//      | ^
}
