#!/bin/bash
# The first process of the guest that boot.py boots: tries golfref as root, and as an ordinary user to whom a control group is
# delegated. boot.py names the repository (REPO), the Python (PYTHON) and the folder of its library (BASE). Nothing that is
# written here reaches the host.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin PYTHONDONTWRITEBYTECODE=1
mount -t proc proc /proc
ln -s /proc/self/fd /dev/fd
exec > >(exec cat) 2>&1 # no terminal, so no progress bars
mount -t sysfs sys /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs tmpfs /run
# Folders of the guest cover those of the host, of which these two are kept. Root's is closed to others on the host.
for folder in "$REPO" "$BASE"; do
  mkdir -p "/run/host$folder" && mount --bind "$folder" "/run/host$folder"
done
mkdir -p /dev/shm
for folder in /tmp /var/tmp /dev/shm; do mount -t tmpfs -o mode=1777 tmpfs $folder; done
mount -t tmpfs -o mode=755 tmpfs /root
for folder in "$REPO" "$BASE"; do
  mkdir -p "$folder" && mount --bind "/run/host$folder" "$folder"
done
cd "$REPO" || exec poweroff -f
"$PYTHON" -c 'import fcntl, socket, struct; fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh14x", b"lo", 0x41))' # lo is up

failed=
groups=/sys/fs/cgroup
HOME=/root "$PYTHON" tests/guest/inside.py || failed+=" root"

if user=$(cut -d: -f1 /etc/subuid | head -n 1) && [ -n "$user" ]; then
  mkdir $groups/user
  echo "+cpu +memory +pids" >$groups/cgroup.subtree_control
  chown "$user" $groups/user $groups/user/cgroup.{procs,threads,subtree_control}
  as_user=(setpriv "--reuid=$user" "--regid=$(id -g "$user")" --init-groups env "HOME=/tmp" "USER=$user")
  (echo $BASHPID >$groups/user/cgroup.procs && exec "${as_user[@]}" "$PYTHON" tests/guest/inside.py) || failed+=" $user"
else
  echo "nothing is tried as an ordinary user: /etc/subuid lends ids to none; useradd --create-home golfer"
  failed+=" user"
fi

echo "guest: ${failed:+it failed as}${failed:-all holds}"
sleep 1
echo o >/proc/sysrq-trigger
sleep 60
