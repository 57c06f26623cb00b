package words

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/xrash/smetrics"
)

// longestCompared is the length in bytes from which a word is far from every known word. It bounds the time that comparing a
// hostile input takes.
const longestCompared = 65

// shortest is the number of letters from which a part of a name tells which name was meant.
const shortest = 4

// Suggest returns a remedy for an unknown word: "did you mean "X"?" if a known word X is near, see [Nearest], otherwise "use A,
// B or C" with all known words.
func Suggest(word string, known []string) string {
	if best, ok := Nearest(word, known); ok {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "use " + Or(known)
}

// Nearest returns the known word that was probably meant by a misspelt word, and whether there is one. Upper and lower case do not
// count. Of a path such as dynamic.overhead, the last part may stand for the whole.
//
// The nearest word has the smallest Levenshtein distance, which is the number of letters to insert, remove or replace. Two
// letters that were exchanged count once. A word is near if at most a third of the letters differ, rounded to a whole number, so
// that "policies" is near "policy".
//
// Reference: R. A. Wagner, M. J. Fischer, The string-to-string correction problem, J. ACM 21 (1974) 168–173.
func Nearest(word string, known []string) (nearest string, near bool) {
	distance := len(word)
	if distance >= longestCompared {
		return "", false
	}
	word = strings.ToLower(word)
	for _, k := range known {
		d := differences(word, strings.ToLower(k))
		if dot := strings.LastIndexByte(k, '.'); dot >= 0 {
			d = min(d, differences(word, strings.ToLower(k[dot+1:])))
		}
		if d < distance {
			nearest, distance = k, d
		}
	}
	if nearest == "" || distance > max(1, (len(word)+1)/3) {
		return nearestShortened(word, known)
	}
	return nearest, true
}

// nearestShortened returns the first known name of several words, such as mean_response_time, from which a misspelt word leaves out
// the first or the last one: mean_response or respons_time. Of short words nothing is told.
func nearestShortened(word string, known []string) (nearest string, near bool) {
	if len(word) < 2*shortest {
		return "", false
	}
	for _, name := range known {
		first, last := strings.IndexByte(name, '_'), strings.LastIndexByte(name, '_')
		if first < 0 {
			continue
		}
		if min(differences(word, name[:last]), differences(word, name[first+1:])) <= len(word)/(2*shortest) {
			return name, true
		}
	}
	return "", false
}

// NearestFile returns the name of the file in a folder that a misspelt name probably means, and whether any name is near. Names
// are near by [Nearest] with their extensions and without: nofile.json is not near none.json. Nil entries are skipped.
func NearestFile(name string, folder []fs.DirEntry) (nearest string, near bool) {
	var names []string
	for _, entry := range folder {
		if entry != nil {
			names = append(names, entry.Name())
		}
	}
	nearest, near = Nearest(name, names)
	if _, alike := Nearest(stem(name), []string{stem(nearest)}); !near || !alike {
		return "", false
	}
	return nearest, true
}

// stem returns the name of a file without its extension.
func stem(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }

// differences returns the Levenshtein distance of two words, 1 if the words differ by one exchange of two letters.
func differences(a, b string) int {
	d := smetrics.WagnerFischer(a, b, 1, 1, 1)
	if d == 2 && sortedBytes(a) == sortedBytes(b) {
		return 1
	}
	return d
}

// sortedBytes returns the bytes of a word in ascending order; anagrams have the same.
func sortedBytes(word string) string { return string(slices.Sorted(slices.Values([]byte(word)))) }
