package modelfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/partwise/partwise/models/modelfile/internal/tree"
)

// Input is something that a study was read from: a value of the study or of a model file, or of a file of measurements
// or of a fitted distribution all bytes.
type Input struct {
	File  string // relative to the study, so that it is the same wherever the study is read from
	Field string // such as jobs.service[2].scv; "" for a whole file
	Value string // as it is written; of a whole file the SHA-256 of its bytes
}

// Inputs returns everything in files that the study was made from, file by file. What only looks different, comments or
// the order of keys in another layout, is no difference here. The settings that were applied are not in it: they are
// the caller's. The error says that a file can no longer be read.
func (s *Study) Inputs() ([]Input, error) {
	if s == nil || s.dists == nil {
		return nil, errors.New("modelfile: the study was read from no file")
	}
	all := flatten(nil, s.relative(s.File), nil, s.root)
	for _, path := range slices.Sorted(maps.Keys(s.trees)) {
		all = flatten(all, s.relative(path), nil, s.trees[path])
	}
	for _, path := range s.dists.Files() {
		digest, err := digestOf(path)
		if err != nil {
			return nil, err
		}
		all = append(all, Input{File: s.relative(path), Value: digest})
	}
	return all, nil
}

func (s *Study) relative(path string) string {
	if rel, err := filepath.Rel(filepath.Dir(s.File), path); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}

// flatten appends the values beneath a node; lists of plain values are one.
func flatten(all []Input, file string, path tree.Path, n *tree.Node) []Input {
	switch {
	case n == nil:
		return all
	case n.Kind == tree.List && n.Nested():
		for i, item := range n.Items {
			all = flatten(all, file, append(path, tree.Step{Index: i}), item)
		}
	case n.Kind == tree.Mapping && len(n.Entries) > 0:
		for _, e := range n.Entries {
			all = flatten(all, file, append(path, tree.KeyStep(e.Key.Value)), e.Value)
		}
	default:
		all = append(all, Input{file, path.String(), n.Flow()})
	}
	return all
}

func digestOf(path string) (string, error) {
	data, err := os.ReadFile(path)
	digest := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(digest[:]), err
}
