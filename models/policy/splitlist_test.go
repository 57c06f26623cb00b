package policy_test

import (
	"strings"
	"testing"

	"github.com/partwise/partwise/models/policy"
)

func TestSplitList(t *testing.T) {
	for text, want := range map[string]string{"dynamic,static:2": "dynamic|static:2", "hybrid:1,60, equi": "hybrid:1,60|equi",
		"resize:cooldown=60,cap=8,easy": "resize:cooldown=60,cap=8|easy", "4,dynamic": "4|dynamic"} {
		if got := strings.Join(policy.SplitList(text), "|"); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestMeaning(t *testing.T) {
	for want, p := range map[string]policy.Policy{"static:K": policy.Static{Partitions: 4}, "dynamic": policy.Dynamic{},
		"resize[:RULE]": policy.Resize{Cap: 2}} {
		if name, summary, known := policy.Meaning(p); name != want || summary == "" || !known {
			t.Errorf("%v: %q, %q, %v; want %s", p, name, summary, known, want)
		}
	}
	if _, _, known := policy.Meaning(nil); known {
		t.Error("no policy has a meaning")
	}
}
