//! The bytes, comparison and printed form of [`CUuuid`].

use core::ffi::c_char;
use core::fmt;
use core::hash::{Hash, Hasher};

use crate::bindings::CUuuid;

impl CUuuid {
    /// Returns the 16 bytes, in the order in which Vulkan's `deviceUUID` has them.
    #[inline]
    pub const fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        let mut index = 0;
        while index < bytes.len() {
            #[allow(clippy::unnecessary_cast)] // c_char is u8 on AArch64
            {
                bytes[index] = self.bytes[index] as u8;
            }
            index += 1;
        }
        bytes
    }
}

impl From<[u8; 16]> for CUuuid {
    #[inline]
    fn from(bytes: [u8; 16]) -> Self {
        Self { bytes: bytes.map(|byte| byte as c_char) }
    }
}

impl PartialEq for CUuuid {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for CUuuid {}

impl Hash for CUuuid {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes.hash(state);
    }
}

impl fmt::Display for CUuuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GPU")?;
        for (index, byte) in self.to_bytes().into_iter().enumerate() {
            let separator = if matches!(index, 0 | 4 | 6 | 8 | 10) { "-" } else { "" };
            write!(f, "{separator}{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for CUuuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
