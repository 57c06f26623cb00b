package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// oldWords are words and sentences that have given way to those of the literature, in any spelling of an identifier.
// What stands here is spelt so that this file does not hold it.
var oldWords = []string{
	"terr[a]in", "campai[g]n", "cro[w]d", "final[i]st", "sight[i]ng", "carry ?o[u]t", "conten[d]er", "latt[i]ce", "hal[t]ed",
	"counterp[a]rt", "misl[e]d", "meanTurn[a]round", "mean_turn[a]round", "mean_qu[e]ue_time", "least t[i]me",
	"cannot be told fr[o]m", "is no reading f[o]r", "days are n[o]ne", "in the queue for [e]ver", "keeps nothing in m[i]nd",
	"[0-9] % f[a]ster than", "Of every m[e]an",
}

// TestWordsOfTheLiterature: what the project says and how it is written has no words of its own where the literature has
// one. Changes and decisions are history and may name what was.
func TestWordsOfTheLiterature(t *testing.T) {
	kinds := []string{".go", ".md", ".txtar", ".json", ".yaml", ".sh"}
	words := make([]*regexp.Regexp, len(oldWords))
	for i, word := range oldWords {
		words[i] = regexp.MustCompile(strings.ToLower(word))
	}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "adr"):
			return filepath.SkipDir
		case d.IsDir() || !slices.Contains(kinds, filepath.Ext(path)) || d.Name() == "CHANGELOG.md":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		// Regular expressions without capitals are literals, which are found many times faster than by "(?i)".
		text = bytes.ToLower(text)
		for _, word := range words {
			if found := word.Find(text); found != nil {
				t.Errorf("%s says %q", path, found)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
