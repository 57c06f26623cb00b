package release

import "testing"

func TestIsReleased(t *testing.T) {
	for version, want := range map[string]bool{"v1.2.0": true, "v1.2.0+dirty": false, "devel": false, "unknown": false} {
		if isReleased(version) != want {
			t.Errorf("%s is released: %v", version, !want)
		}
	}
	if Version() == "" {
		t.Error("the program has no version")
	}
}
