//! What the workspace's tests share: running Go's own trace tools on a recording.
